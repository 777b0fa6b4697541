// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/plan/preset_file.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <absl/strings/str_format.h>

#include "harness/base/nearest.h"
#include "harness/base/toml.h"
#include "harness/bench/plan/sweep_fields.h"

namespace lockbench {

namespace {

constexpr std::string_view kSweep = "sweep";
constexpr std::array kHeader = {
    PresetKey{"title", "one line", "required", "\"Two locks beside each other\""},
    PresetKey{"description", "what the preset shows, and how long it takes", "empty",
              "\"Takes ten seconds.\""},
    PresetKey{"target", "the class of machine that it is sized for, as in `meta.json`", "any",
              "\"i7-1165G7\""},
    PresetKey{"blocks", "a whole number, 1 to 10000: repetitions of every cell", "5", "5"},
    PresetKey{"seed", "a whole number, 0 to 2^53-1: decides keys and the order of trials", "1",
              "1"},
};

bool is_header(std::string_view key) {
  return std::any_of(kHeader.begin(), kHeader.end(),
                     [key](const PresetKey& header) { return header.name == key; });
}

std::string kind_of(const toml::node& node) {
  if (node.is_table()) return "a table";
  if (node.is_array()) return "an array";
  if (node.is_boolean()) return "true or false";
  return "a date or time";
}

// Reads one file; every error begins with `name`.
class Reader {
 public:
  explicit Reader(std::string_view file_name) : name_(file_name) {}

  absl::StatusOr<Preset> preset(const toml::table& root) const {
    Preset preset{.name = stem(), .title = {}, .description = {}, .target = {}, .sweeps = {}};
    Sweep common;
    const bool has_sweeps = root.contains(kSweep);
    for (const auto& [key, node] : root) {
      const std::string_view field = key.str();
      if (field == kSweep) continue;
      const absl::Status status =
          is_header(field) ? header(field, node, preset) : sweep_field(key, node, true, common);
      if (!status.ok()) return status;
    }
    if (preset.title.empty()) return error({1, 1}, "no title; begin with title = \"…\"");
    const absl::Status status = has_sweeps ? sweeps(*root.get(kSweep), common, preset.sweeps)
                                           : only_sweep(root, common, preset.sweeps);
    if (!status.ok()) return status;
    return preset;
  }

  absl::Status error(toml::source_position at, std::string_view message) const {
    return absl::InvalidArgumentError(where(at) + ": " + std::string(message));
  }

 private:
  std::string where(toml::source_position at) const {
    return absl::StrFormat("%s:%d:%d", name_, at.line, at.column);
  }

  std::string stem() const {
    const std::size_t slash = name_.rfind('/');
    std::string base = slash == std::string::npos ? name_ : name_.substr(slash + 1);
    if (base.ends_with(".toml")) base.resize(base.size() - std::string_view(".toml").size());
    return base;
  }

  absl::Status header(std::string_view key, const toml::node& node, Preset& preset) const {
    if (key == "blocks" || key == "seed") {
      const auto number = node.value_exact<std::int64_t>();
      if (!number) return wants(node, key, "a whole number without quotes, as 5");
      const auto count =
          parse_count(std::to_string(*number), key == "blocks" ? kBlockRange : kSeedRange);
      if (!count.ok()) return prefixed(node, key, count.status());
      if (key == "blocks") preset.blocks = static_cast<std::uint32_t>(*count);
      if (key == "seed") preset.seed = *count;
      return absl::OkStatus();
    }
    const auto text = node.value_exact<std::string>();
    if (!text) return wants(node, key, "text in quotes");
    (key == "title" ? preset.title : key == "target" ? preset.target : preset.description) = *text;
    return absl::OkStatus();
  }

  absl::Status sweeps(const toml::node& node, const Sweep& common,
                      std::vector<Sweep>& sweeps) const {
    const toml::array* const tables = node.as_array();
    if (tables == nullptr || !tables->is_homogeneous<toml::table>()) {
      return error(node.source().begin, "sweep: write each as a table of its own, [[sweep]]");
    }
    for (const toml::node& element : *tables) {
      const toml::table& table = *element.as_table();
      Sweep given;
      for (const auto& [key, value] : table) {
        const absl::Status status = sweep_field(key, value, false, given);
        if (!status.ok()) return status;
      }
      given.where = where(table.source().begin);
      const absl::Status status = complete(table, laid_over(common, given), sweeps);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status only_sweep(const toml::table& root, Sweep sweep, std::vector<Sweep>& sweeps) const {
    sweep.where = where({1, 1});
    return complete(root, std::move(sweep), sweeps);
  }

  // Checks `sweep`, which has all its fields, and adds it to `sweeps`. `table` has the fields that
  // were given for this sweep itself.
  absl::Status complete(const toml::table& table, Sweep sweep, std::vector<Sweep>& sweeps) const {
    if (sweep.primitives.empty()) {
      return absl::InvalidArgumentError(
          sweep.where + ": no primitive; say which to measure, as primitive = [\"keyed\"]");
    }
    const bool fixed = sweep.mode == Mode::kFixed;
    for (const auto& [key, node] : table) {
      const std::string_view field = key.str();
      if (fixed && (field == "window" || field == "warmup")) {
        return error(key.source().begin,
                     absl::StrFormat("%s: a trial in mode fixed ends after its operations; give "
                                     "operations instead, or mode = \"timed\"",
                                     field));
      }
      if (!fixed && field == "operations") {
        return error(key.source().begin,
                     "operations: time decides how many in mode timed; give window instead, or "
                     "mode = \"fixed\"");
      }
    }
    sweeps.push_back(std::move(sweep));
    return absl::OkStatus();
  }

  absl::Status sweep_field(const toml::key& key, const toml::node& node, bool at_top,
                           Sweep& sweep) const {
    const SweepField* const field = find_sweep_field(key.str());
    if (field == nullptr) return unknown_key(key, at_top);
    const toml::array* const values = node.as_array();
    if (values == nullptr) return add(*field, node, sweep);
    if (!field->axis) return wants(node, field->name, "one value, not an array");
    if (values->empty()) return wants(node, field->name, "at least one value");
    for (const toml::node& value : *values) {
      const absl::Status status = add(*field, value, sweep);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status add(const SweepField& field, const toml::node& node, Sweep& sweep) const {
    std::string text;
    if (const auto quoted = node.value_exact<std::string>()) {
      text = *quoted;
    } else if (const auto whole = node.value_exact<std::int64_t>()) {
      text = std::to_string(*whole);
    } else if (const auto decimal = node.value_exact<double>()) {
      text = to_text(*decimal);
    } else {
      return wants(node, field.name, absl::StrFormat("%s, not %s", field.wants, kind_of(node)));
    }
    const absl::Status status = field.add(sweep, text);
    return status.ok() ? status : prefixed(node, field.name, status);
  }

  absl::Status unknown_key(const toml::key& key, bool at_top) const {
    std::vector<std::string> names;
    for (const SweepField& field : sweep_fields()) names.emplace_back(field.name);
    if (at_top) {
      for (const PresetKey& header : kHeader) names.emplace_back(header.name);
      names.emplace_back(kSweep);
    }
    const absl::Status status = unknown_name("key", key.str(), names);
    return error(key.source().begin, std::string(status.message()));
  }

  absl::Status wants(const toml::node& node, std::string_view key, std::string_view what) const {
    return error(node.source().begin, absl::StrFormat("%s wants %s", key, what));
  }

  absl::Status prefixed(const toml::node& node, std::string_view key,
                        const absl::Status& status) const {
    return error(node.source().begin,
                 absl::StrFormat("%s: %s", key, std::string(status.message())));
  }

  const std::string name_;
};

}  // namespace

std::span<const PresetKey> preset_keys() {
  return kHeader;
}

absl::StatusOr<Preset> parse_preset(std::string_view toml, std::string_view file_name) {
  const Reader reader(file_name);
  const toml::parse_result parsed = toml::parse(toml, file_name);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return reader.error(error.source().begin, "not TOML: " + std::string(error.description()));
  }
  return reader.preset(parsed.table());
}

namespace {

constexpr std::size_t kColumns = 100;

// The keys that a first preset needs; the others are commented out.
constexpr std::array<std::string_view, 8> kActive{"title",    "description", "blocks", "primitive",
                                                  "workload", "threads",     "keys",   "hold"};

// The text as comment lines of at most kColumns characters.
std::string comment(std::string_view text) {
  std::string lines;
  std::string line = "#";
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (line.size() + 1 + word.size() > kColumns) {
      lines += line + "\n";
      line = "#";
    }
    line += " " + std::string(word);
  }
  return lines + line + "\n";
}

std::string default_text(std::string_view usual) {
  return (usual.starts_with("required") ? "" : "default: ") + std::string(usual);
}

std::string key_lines(std::string_view name, const std::string& meaning, std::string_view example) {
  const bool active = std::find(kActive.begin(), kActive.end(), name) != kActive.end();
  return comment(meaning) + (active ? "" : "# ") + std::string(name) + " = " +
         std::string(example) + "\n\n";
}

}  // namespace

std::string preset_template() {
  std::string text =
      "# A preset for lockbench. It runs as it is:\n"
      "#\n"
      "#   lockbench run FILE.toml --dry-run --verbose   lists its trials\n"
      "#   lockbench run FILE.toml                       measures them\n"
      "#\n"
      "# A key that is commented out shows an example; without it, the default holds.\n\n";
  for (const PresetKey& key : preset_keys()) {
    text +=
        key_lines(key.name, std::string(key.wants) + "; " + default_text(key.usual), key.example);
  }
  text +=
      "# A sweep measures all combinations of the values of its keys. A preset may have several.\n"
      "[[sweep]]\n\n";
  for (const SweepField& field : sweep_fields()) {
    const std::string several = field.axis ? "one value or an array: " : "";
    text +=
        key_lines(field.name, several + std::string(field.wants) + "; " + default_text(field.usual),
                  field.example);
  }
  text.pop_back();  // the blank line at the end
  return text;
}

}  // namespace lockbench
