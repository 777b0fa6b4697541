// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/list/list_command.h"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <vector>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/base/nearest.h"
#include "harness/base/printable.h"
#include "harness/bench/catalog/catalog.h"
#include "harness/bench/command/list/list_json.h"
#include "harness/bench/command/run/presets.h"
#include "harness/bench/record/target.h"

namespace lockbench {
namespace {

constexpr std::string_view kWho = "lockbench list";

constexpr int kNameWidth = 30;

void print_entry(std::ostream& out, const std::string& name, const std::string& text) {
  out << "  " << std::left << std::setw(kNameWidth) << printable(name) << ' ' << printable(text)
      << '\n';
}

std::string traits_of(const CatalogEntry& entry) {
  std::string text;
  const auto add = [&text](bool has, const char* trait) {
    if (has) text += (text.empty() ? "" : ", ") + std::string(trait);
  };
  add(entry.promises.lock_per_key, "a lock per key");
  add(entry.promises.reentrant, "reentrant");
  add(entry.promises.timed, "timed");
  add(entry.promises.fair, "fair");
  add(entry.promises.expires, "expires");
  add(entry.tokens, "tokens");
  if (!entry.listing.service.empty()) {
    text += (text.empty() ? "" : ", ") + ("needs " + entry.listing.service);
  }
  if (!entry.plugin.empty()) text += (text.empty() ? "" : ", ") + ("from " + entry.plugin);
  return text.empty() ? "" : " [" + text + "]";
}

void list_primitives(std::ostream& out) {
  out << "Primitives, written name or name:parameter=value,…\n";
  for (const ListedPrimitive& one : listed_primitives(Catalog::standard())) {
    const Listing& listing = one.entry->listing;
    const std::string text =
        one.usual ? listing.summary + " (" + listing.origin + ")" : "  over " + listing.origin;
    print_entry(out, one.name, text + traits_of(*one.entry));
    if (!one.usual) continue;
    for (const Number& number : listing.numbers) {
      print_entry(out, "  :" + number.parameter + "=" + std::to_string(number.usual),
                  "  " + number.meaning + ", " + std::to_string(number.least) + " to " +
                      std::to_string(number.most));
    }
  }
}

void list_workloads(std::ostream& out) {
  out << "Workloads, written name or name:scenario\n";
  for (const WorkloadListing& workload : Catalog::standard().workloads()) {
    print_entry(out, workload.name, workload.summary + "; needs " + workload.needs);
    for (const std::string& scenario : workload.scenarios) {
      print_entry(out, "  :" + scenario, "");
    }
  }
}

int list_presets(std::ostream& out, std::ostream& err) {
  const absl::StatusOr<std::vector<ListedPreset>> listed = listed_presets();
  if (!listed.ok()) return complain(err, kWho, listed.status());
  out << "Presets, for lockbench run\n";
  for (const auto& [name, preset] : *listed) {
    print_entry(out, name, preset.ok() ? preset->title : std::string(preset.status().message()));
  }
  return kSuccess;
}

// The preset's file as it is, comments included.
int show_preset(const ListOptions& options, std::ostream& out, std::ostream& err) {
  const std::string& name = options.show;
  const auto wrong = [&err](const absl::Status& status) {
    return complain(err, "lockbench list: --show", status);
  };
  if (options.what != "presets") {
    return wrong(
        absl::InvalidArgumentError("shows a preset; write lockbench list presets --show " + name));
  }
  if (options.json) {
    return wrong(absl::InvalidArgumentError("prints TOML; leave out --format json"));
  }
  const absl::StatusOr<ResourceText> preset = read_preset(name);
  if (!preset.ok()) return wrong(preset.status());
  out << preset->text;
  // The end of the program checks whether it could be written.
  return kSuccess;
}

void list_targets(std::ostream& out) {
  out << "Targets: machines that presets are sized for\n";
  for (const Target& target : kTargets) {
    print_entry(out, std::string(target.name),
                std::to_string(target.cores) + " cores, " +
                    std::to_string(target.hardware_threads) + " hardware threads");
  }
}

int list_section(const ListSection& section, std::ostream& out, std::ostream& err) {
  const absl::StatusOr<std::vector<ListedThing>> things = section.things();
  if (!things.ok()) return complain(err, kWho, things.status());
  out << section.title << '\n';
  for (const ListedThing& thing : *things) print_entry(out, thing.name, thing.title);
  return kSuccess;
}

}  // namespace

std::vector<std::string> kinds_of_lists(const std::vector<ListSection>& sections) {
  std::vector<std::string> kinds{"primitives", "workloads", "presets", "targets"};
  for (const ListSection& section : sections) kinds.push_back(section.name);
  return kinds;
}

int list_command(const ListOptions& options, const std::vector<ListSection>& sections,
                 std::ostream& out, std::ostream& err) {
  const std::string& what = options.what;
  const std::vector<std::string> kinds = kinds_of_lists(sections);
  if (!what.empty() && std::find(kinds.begin(), kinds.end(), what) == kinds.end()) {
    return complain(err, kWho, unknown_name("list", what, kinds));
  }
  if (!options.show.empty()) return show_preset(options, out, err);
  if (options.json) {
    const absl::StatusOr<std::string> text = list_json(what, Catalog::standard(), sections);
    if (!text.ok()) return complain(err, kWho, text.status());
    out << *text;
    return kSuccess;
  }
  const bool all = what.empty();
  if (all || what == "primitives") list_primitives(out);
  if (all) out << '\n';
  if (all || what == "workloads") list_workloads(out);
  if (all) out << '\n';
  if (all || what == "presets") {
    if (const int code = list_presets(out, err); code != kSuccess) return code;
  }
  if (all) out << '\n';
  if (all || what == "targets") list_targets(out);
  for (const ListSection& section : sections) {
    if (all) out << '\n';
    if (!all && what != section.name) continue;
    if (const int code = list_section(section, out, err); code != kSuccess) return code;
  }
  return kSuccess;
}

}  // namespace lockbench
