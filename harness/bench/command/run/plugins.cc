// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/plugins.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <ostream>
#include <sstream>
#include <sys/wait.h>
#include <utility>

#include <absl/strings/str_format.h>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/base/files.h"
#include "harness/base/printable.h"
#include "harness/bench/catalog/catalog.h"
#include "harness/bench/command/run/child.h"
#include "harness/bench/command/run/plugin_record.h"
#include "harness/bench/plan/describe.h"
#include "harness/plugin/c_offer.h"
#include "harness/plugin/describe.h"
#include "harness/plugin/load.h"
#include "harness/process/child_process.h"
#include "harness/process/resources.h"
#include "harness/process/signals.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;

// A plug-in returns its description at once, unless its start-up code hangs.
constexpr std::chrono::seconds kPatience{10};

absl::StatusOr<PluginDescription> ask(const std::string& file, const PluginLoader& loader) {
  const absl::StatusOr<ChildResult> result =
      run_child({.program = loader.program,
                 .words = loader.words,
                 .input = {},
                 .deadline = std::chrono::steady_clock::now() + kPatience});
  if (!result.ok()) return result.status();
  if (result->ending == ChildEnding::kInterrupted) return absl::CancelledError("interrupted");
  if (result->ending == ChildEnding::kTooLong) {
    return plugin_error(file, "did not say what it has within " +
                                  std::to_string(kPatience.count()) +
                                  " s; look at what it does when it is loaded");
  }
  if (WIFEXITED(result->status) && WEXITSTATUS(result->status) == 2) {
    // Absent if the plug-in ended the process when it was loaded.
    if (const auto complaint = complaint_of(*result, loader.prefix)) {
      return absl::InvalidArgumentError(*complaint);
    }
  }
  if (!WIFEXITED(result->status) || WEXITSTATUS(result->status) != 0) {
    return plugin_error(file, end_text("the process that loaded it", *result) +
                                  "; look at what it does when it is loaded");
  }
  absl::StatusOr<PluginDescription> description = description_from_json(result->out);
  if (description.ok()) return description;
  if (result->out.empty()) {
    return plugin_error(
        file,
        "ended the process that loaded it before it said which locks it brings; look at "
        "what it does when it is loaded: it may call exit()");
  }
  return plugin_error(file,
                      "wrote '" + printable(result->out.substr(0, result->out.find('\n'))) +
                          "' to standard output when it was loaded; it must write nothing there");
}

// The files of the locks that stress tests, by name.
std::map<std::string, std::string>& stressed_locks() {
  static std::map<std::string, std::string> locks;
  return locks;
}

// `keyed`, `global:lock=std`: as the engines of stress call what is in the catalog.
std::string stressed_name(const Listing& listing) {
  if (listing.choices.empty()) return listing.name;
  const Choice& first = listing.choices.front();
  return listing.name + ":" + first.parameter + "=" + first.value;
}

// A lock for stress alone is not in the catalog, and its name must be new all the same.
absl::Status check_stressed(const std::string& file, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto known = stressed_locks().emplace(name, file).first;
    std::string owner = known->second;
    for (const CatalogEntry& entry : Catalog::standard().entries()) {
      if (entry.plugin == file || stressed_name(entry.listing) != name) continue;
      owner = entry.plugin.empty() ? "lockbench" : entry.plugin;
    }
    if (owner == file) continue;
    return absl::AlreadyExistsError("plug-in " + file + ": brings '" + name + "', which " + owner +
                                    " has already; give it another name");
  }
  return absl::OkStatus();
}

absl::Status add_to_catalog(const std::string& file, std::vector<CatalogEntry> entries) {
  for (CatalogEntry& entry : entries) {
    entry.plugin = file;
    absl::Status added = Catalog::standard_for_extension().add_from_plugin(std::move(entry));
    if (!added.ok()) return added;
  }
  return absl::OkStatus();
}

// The time of a lock() and an unlock() through the C interface, for each plug-in file that uses it.
std::map<std::string, double>& c_calls() {
  static std::map<std::string, double> calls;
  return calls;
}

// The plug-ins of the catalog, by file.
std::map<std::string, PluginRecord>& records() {
  static std::map<std::string, PluginRecord> records;
  return records;
}

// Absent if the file cannot be read, or is larger than any plug-in.
std::optional<std::string> hash_of(const std::string& file) {
  const absl::StatusOr<std::string> bytes = read_file(file, kMostRunFileBytes);
  return bytes.ok() ? std::optional(fingerprint(*bytes)) : std::nullopt;
}

std::string build_difference_text(const PluginRecord& record) {
  return "the plug-in " + record.file + " was not compiled as lockbench: " + *record.differs;
}

std::string call_cost_text(const std::string& file, double call_ns) {
  return absl::StrFormat(
      "%s is called through the C interface: %.1f ns of each lock() and unlock() are the calls'",
      file, call_ns);
}

absl::Status add_plugin(const std::string& file, bool measures, std::ostream& err) {
  const PluginLoader loader{.program = trial_program(),
                            .words = {"lockbench", "plugin", file},
                            .prefix = "lockbench plugin: "};
  absl::StatusOr<PluginDescription> description = ask(file, loader);
  if (!description.ok()) return description.status();
  measures = measures && !description->entries.empty();
  if (description->call_ns) c_calls()[file] = *description->call_ns;
  if (measures && description->call_ns) {
    err << "lockbench: " << call_cost_text(file, *description->call_ns) << '\n';
  }
  const PluginRecord& record = records()[file] =
      plugin_record(file, hash_of(file), description->stamp, own_stamp());
  if (measures && record.differs) {
    const Build own = this_build();
    err << "lockbench: " << build_difference_text(record)
        << "; build it like that: " << own.compiler << ", " << own.flags << '\n';
  }
  if (absl::Status added = add_to_catalog(file, std::move(description->entries)); !added.ok()) {
    return added;
  }
  return check_stressed(file, description->stressed);
}

// A plug-in that was built for stress alone has no loops to measure.
absl::Status check_measurable(const std::string& file) {
  const std::vector<std::string> measured = Catalog::standard().plugins();
  if (std::find(measured.begin(), measured.end(), file) != measured.end()) return absl::OkStatus();
  std::string names;
  for (const auto& [name, plugin] : stressed_locks()) {
    if (plugin == file) names += (names.empty() ? "" : ", ") + name;
  }
  return plugin_error(file, "built for `lockbench stress` alone, with " + names +
                                "; to measure it, give lockbench_add_plugin() no STRESS_ONLY, and "
                                "SIMULATE instead of lockbench_add_simulated_plugin()");
}

bool measures_of(const Plan& plan, const std::string& file) {
  return std::any_of(plan.trials.begin(), plan.trials.end(), [&](const Trial& trial) {
    return Catalog::standard().plugin_of(trial.cell.primitive) == file;
  });
}

void add_folder(const fs::path& folder, std::vector<std::string>& files) {
  std::error_code error;
  std::vector<std::string> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const fs::path& file = entry.path();
    const fs::path build = file.stem().extension();
    if (file.extension() == ".so" && build != ".sim" && build != ".predict" && build != ".delays") {
      found.push_back(file.string());
    }
  }
  std::sort(found.begin(), found.end());
  files.insert(files.end(), found.begin(), found.end());
}

}  // namespace

std::vector<std::string> plugins_on_path() {
  const char* const path = std::getenv("LOCKBENCH_PLUGIN_PATH");
  std::stringstream names(path == nullptr ? "" : path);
  std::vector<std::string> files;
  for (std::string name; std::getline(names, name, ':');) {
    std::error_code error;
    if (name.empty()) continue;
    if (fs::is_directory(name, error)) {
      add_folder(name, files);
    } else {
      files.push_back(name);
    }
  }
  return files;
}

absl::Status add_plugins(const std::vector<std::string>& named, bool measures, std::ostream& err) {
  const std::vector<std::string> on_path = plugins_on_path();
  if (!named.empty() || !on_path.empty()) note_signals();
  for (const std::string& file : named) {
    absl::Status added = add_plugin(file, measures, err);
    if (added.ok() && measures) added = check_measurable(file);
    if (!added.ok()) return added;
  }
  std::error_code error;
  for (const std::string& file : on_path) {
    const bool known = std::any_of(named.begin(), named.end(), [&](const std::string& other) {
      return fs::equivalent(file, other, error);
    });
    if (known) continue;
    const absl::Status added = add_plugin(file, measures, err);
    if (absl::IsCancelled(added)) return added;
    if (!added.ok()) {
      err << "lockbench: LOCKBENCH_PLUGIN_PATH: " << std::string(added.message())
          << "; going on without it\n";
    }
  }
  return absl::OkStatus();
}

std::optional<int> complain_of_plugin(std::string_view command, const absl::Status& added) {
  if (added.ok()) return std::nullopt;
  return complain(std::cerr, "lockbench " + std::string(command) + ": --plugin", added, kBadInput);
}

absl::Status plugin_error(const std::string& file, const std::string& why) {
  return absl::InvalidArgumentError("plug-in " + file + ": " + why);
}

absl::Status add_plugin_by(const std::string& file, const PluginLoader& loader) {
  absl::StatusOr<PluginDescription> description = ask(file, loader);
  if (!description.ok()) return description.status();
  records()[file] = plugin_record(file, hash_of(file), {}, own_stamp());
  return add_to_catalog(file, std::move(description->entries));
}

std::optional<int> add_plugins_of_command(std::string_view command,
                                          const std::vector<std::string>& named, bool measures) {
  return complain_of_plugin(command, add_plugins(named, measures, std::cerr));
}

std::vector<std::string> call_cost_texts(const Plan& plan) {
  std::vector<std::string> texts;
  for (const auto& [file, call_ns] : c_calls()) {
    if (measures_of(plan, file)) texts.push_back(call_cost_text(file, call_ns));
  }
  return texts;
}

std::vector<std::string> build_difference_texts(const Plan& plan) {
  std::vector<std::string> texts;
  for (const auto& [file, record] : records()) {
    if (record.differs && measures_of(plan, file)) texts.push_back(build_difference_text(record));
  }
  return texts;
}

std::optional<std::vector<PluginRecord>> plugin_records(const Plan& plan) {
  std::vector<PluginRecord> found;
  for (const auto& [file, record] : records()) {
    if (measures_of(plan, file)) found.push_back(record);
  }
  return found.empty() ? std::nullopt : std::optional(std::move(found));
}

int plugin_command(const std::string& file, std::ostream& out, std::ostream& err) {
  absl::StatusOr<LoadedPlugin> loaded = load_plugin(file, {}, c_offer);
  if (!loaded.ok()) {
    return complain(err, "lockbench plugin", loaded.status(), kBadInput);
  }
  PluginDescription description{
      .entries = std::move(loaded->offer.entries), .stressed = {}, .stamp = {}, .call_ns = {}};
  for (const stress::RegisteredLock& lock : loaded->offer.locks) {
    description.stressed.push_back(lock.name);
  }
  const lockbench_build* const build = loaded->build;
  if (build != nullptr && build->size >= sizeof *build) {
    description.stamp = {.optimised = static_cast<std::uint32_t>(build->optimised),
                         .assertions = build->assertions != 0,
                         .sanitizers = static_cast<std::uint32_t>(build->sanitizers),
                         .compiler = build->compiler,
                         .flags = build->flags};
  }
  if (loaded->c != nullptr) description.call_ns = c_call_ns();
  out << to_json(description) << '\n';
  return 0;
}

absl::Status load_plugins(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    absl::StatusOr<LoadedPlugin> loaded = load_plugin(file, {}, c_offer);
    if (!loaded.ok()) return loaded.status();
    absl::Status added = add_to_catalog(file, std::move(loaded->offer.entries));
    if (!added.ok()) return added;
  }
  return absl::OkStatus();
}

}  // namespace lockbench
