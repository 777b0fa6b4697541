// SPDX-License-Identifier: Apache-2.0

#include "harness/command/list/list_command.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <ostream>
#include <vector>

#include "harness/catalog/catalog.h"
#include "harness/plan/nearest.h"
#include "harness/plan/printable.h"
#include "harness/plan/spelling.h"
#include "harness/process/resources.h"
#include "harness/record/target.h"
#include "harness/terminal/exit_code.h"

namespace lockbench {
namespace {

constexpr int kNameWidth = 30;

void print_entry(std::ostream& out, const std::string& name, const std::string& text) {
  out << "  " << std::left << std::setw(kNameWidth) << printable(name) << ' ' << printable(text)
      << '\n';
}

// `striped:lock=std`; the usual choices are left out.
std::string name_of(const CatalogEntry& entry, const CatalogEntry& usual) {
  PrimitiveSpec spec{.name = entry.listing.name};
  for (std::size_t i = 0; i < entry.listing.choices.size(); ++i) {
    const Choice& choice = entry.listing.choices[i];
    if (choice != usual.listing.choices[i]) spec.parameters[choice.parameter] = choice.value;
  }
  return to_text(spec);
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
  if (!entry.plugin.empty()) text += (text.empty() ? "" : ", ") + ("from " + entry.plugin);
  return text.empty() ? "" : " [" + text + "]";
}

void list_primitives(std::ostream& out) {
  out << "Primitives, written name or name:parameter=value,…\n";
  const CatalogEntry* usual = nullptr;
  for (const CatalogEntry& entry : Catalog::standard().entries()) {
    const bool first = usual == nullptr || usual->listing.name != entry.listing.name;
    if (first) usual = &entry;
    const std::string text = first ? entry.listing.summary + " (" + entry.listing.origin + ")"
                                   : "  over " + entry.listing.origin;
    print_entry(out, name_of(entry, *usual), text + traits_of(entry));
    if (!first) continue;
    for (const Number& number : entry.listing.numbers) {
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
  const absl::StatusOr<std::vector<std::string>> names = preset_names();
  if (!names.ok()) {
    err << "lockbench list: " << printable(std::string(names.status().message())) << '\n';
    return kBadInput;
  }
  out << "Presets, for lockbench run\n";
  for (const std::string& name : *names) {
    const absl::StatusOr<Preset> preset = load_preset(name);
    print_entry(out, name, preset.ok() ? preset->title : std::string(preset.status().message()));
  }
  return 0;
}

// The preset's file as it is, comments included.
int show_preset(const std::string& what, const std::string& name, std::ostream& out,
                std::ostream& err) {
  const auto complain = [&err](const absl::Status& status) {
    err << "lockbench list: --show: " << printable(std::string(status.message())) << '\n';
    return kBadInput;
  };
  if (what != "presets") {
    return complain(
        absl::InvalidArgumentError("shows a preset; write lockbench list presets "
                                   "--show " +
                                   name));
  }
  const absl::StatusOr<std::vector<std::string>> names = preset_names();
  if (!names.ok()) return complain(names.status());
  if (std::find(names->begin(), names->end(), name) == names->end()) {
    return complain(unknown_name("preset", name, *names));
  }
  const absl::StatusOr<std::filesystem::path> path =
      find_resource("workloads/presets/" + name + ".toml");
  if (!path.ok()) return complain(path.status());
  std::ifstream file(*path);
  out << file.rdbuf();
  if (file && out) return kSuccess;
  err << "lockbench list: " << printable(path->string()) << ": cannot be read\n";
  return kCouldNotFinish;
}

void list_targets(std::ostream& out) {
  out << "Targets: machines that presets are sized for\n";
  for (const Target& target : kTargets) {
    print_entry(out, std::string(target.name),
                std::to_string(target.cores) + " cores, " +
                    std::to_string(target.hardware_threads) + " hardware threads");
  }
}

}  // namespace

int list_command(const std::string& what, const std::string& show, std::ostream& out,
                 std::ostream& err) {
  const std::vector<std::string> kinds{"primitives", "workloads", "presets", "targets"};
  if (!what.empty() && std::find(kinds.begin(), kinds.end(), what) == kinds.end()) {
    err << "lockbench list: " << printable(std::string(unknown_name("list", what, kinds).message()))
        << '\n';
    return kBadInput;
  }
  if (!show.empty()) return show_preset(what, show, out, err);
  const bool all = what.empty();
  if (all || what == "primitives") list_primitives(out);
  if (all) out << '\n';
  if (all || what == "workloads") list_workloads(out);
  if (all) out << '\n';
  if (all || what == "presets") {
    if (const int code = list_presets(out, err); code != 0) return code;
  }
  if (all) out << '\n';
  if (all || what == "targets") list_targets(out);
  return 0;
}

}  // namespace lockbench
