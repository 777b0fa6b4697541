// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/command/stress_command.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <utility>

#include <absl/algorithm/container.h>
#include <absl/strings/str_format.h>

#include "harness/base/exit_code.h"
#include "harness/base/files.h"
#include "harness/base/printable.h"
#include "harness/bench/catalog/catalog.h"
#include "harness/bench/command/run/plugins.h"
#include "harness/bench/record/build.h"
#include "harness/bench/record/machine.h"
#include "harness/process/signals.h"
#include "harness/stress/command/engines.h"
#include "harness/stress/command/run.h"
#include "harness/stress/command/self_test.h"
#include "harness/stress/command/verdict.h"
#include "harness/stress/litmus/program_file.h"

namespace lockbench {
namespace {

std::string machine_line() {
  const Machine machine = read_machine();
  const Build build = this_build();
  return absl::StrFormat("on %s, %d hardware threads; %s, %s, commit %s",
                         machine.cpu_model.value_or("an unknown processor"),
                         machine.usable_threads.value_or(0), build.compiler, build.build_type,
                         build.commit.value_or("unknown"));
}

// The files of the named plug-ins, and of those on the path that work. A plug-in that was built for
// stress alone adds nothing to the catalog, so it must be named.
std::vector<std::string> known_plugins(const std::vector<std::string>& named) {
  std::vector<std::string> files = named;
  for (const CatalogEntry& entry : Catalog::standard().entries()) {
    const bool new_one = std::find(files.begin(), files.end(), entry.plugin) == files.end();
    if (!entry.plugin.empty() && new_one) files.push_back(entry.plugin);
  }
  return files;
}

// Prints the names, the engines that have each lock, and its summary.
int print_listing(const std::vector<EngineListing>& engines) {
  std::map<std::string, std::pair<std::string, std::string>> by_name;
  for (const EngineListing& engine : engines) {
    for (const Listed& lock : engine.locks) {
      auto& [known_by, summary] = by_name[lock.name];
      known_by += (known_by.empty() ? "" : ",") + engine.engine;
      summary = lock.summary;
    }
  }
  std::size_t longest = 0;
  for (const auto& [name, line] : by_name) longest = std::max(longest, name.size());
  for (const auto& [name, line] : by_name) {
    std::cout << absl::StrFormat("%-*s %-14s %s\n", longest, name, line.first, line.second);
  }
  return kSuccess;
}

// Leaves the engines out that do not know the options. If none is left, the user learns which ones
// do.
void keep_those_of(const std::vector<std::string>& able, std::vector<EngineListing>& engines,
                   StressOptions& options) {
  if (able.empty()) return;
  std::erase_if(engines, [&](const EngineListing& listing) {
    return std::find(able.begin(), able.end(), listing.engine) == able.end();
  });
  if (engines.empty()) options.engines = able;
}

// Reads the program of --program-file into the order.
absl::Status read_program_file(StressOptions& options) {
  if (!options.program_file) return absl::OkStatus();
  // More threads are refused by each engine that cannot run them.
  constexpr std::size_t kMostThreads = 80;
  constexpr std::size_t kMostBytes = 1 << 20;
  const std::string name = options.program_file->string();
  const absl::StatusOr<std::string> text = read_file(*options.program_file, kMostBytes);
  if (!text.ok()) {
    return absl::InvalidArgumentError("--program-file: " + std::string(text.status().message()));
  }
  const absl::StatusOr<stress::LitmusProgram> program =
      stress::program_in_file(*text, name, kMostThreads);
  if (!program.ok())
    return absl::InvalidArgumentError(printable(std::string(program.status().message())));
  options.order.program = stress::to_text(*program);
  return absl::OkStatus();
}

// The engines whose locks are listed: those that can do what was asked, and the simulated one, in
// which failures of others are repeated. Empty: all.
std::vector<std::string> needed_engines(const StressOptions& options,
                                        std::vector<std::string> able) {
  if (options.list) return {};
  if (!able.empty() && !absl::c_linear_search(able, "sim")) able.emplace_back("sim");
  return able;
}

// What is tested, and by which jobs.
struct Prepared {
  StressOptions options;
  std::vector<EngineListing> engines;
  std::vector<EngineListing> broken;
  std::vector<TestJob> jobs;
};

// The locks of the engines `needed` that may be tested: the shipped ones, those of plug-ins, and
// broken ones that are named.
absl::Status add_locks(const std::vector<std::string>& plugins,
                       const std::vector<std::string>& able, const std::vector<std::string>& needed,
                       Prepared& found) {
  const StressOptions& options = found.options;
  const bool plugins_alone = !plugins.empty() && options.locks.empty() && !options.list;
  // In a self-test, every lock that is not known to be broken counts as correct. Only the named
  // plug-ins are therefore used there.
  const bool those_named = plugins_alone || options.self_test;
  if (!those_named) found.engines = engines_named("", needed);
  for (const std::string& plugin : those_named ? plugins : known_plugins(plugins)) {
    const bool only_sim = able == std::vector<std::string>{"sim"} && those_named;
    const absl::Status added =
        add_plugin_engines(plugin, only_sim, options.added_engines, needed, found.engines);
    if (!added.ok()) return added;
  }
  const bool names_others = !knows_all(found.engines, options.locks);
  if (options.self_test || names_others || self_test_share(options) > std::chrono::nanoseconds{}) {
    found.broken = engines_named("-mutants", needed);
  }
  if (options.self_test) {
    found.engines.insert(found.engines.begin(), found.broken.begin(), found.broken.end());
  } else {
    found.engines = with_named(std::move(found.engines), found.broken, options.locks);
  }
  return absl::OkStatus();
}

absl::Status nothing_here(const StressOptions& options) {
  return absl::NotFoundError(
      options.self_test
          ? "the broken locks lie beside no engine here; build the tests, too"
          : "no engine lies beside this program; in a checkout: cmake --build --preset release");
}

absl::StatusOr<Prepared> prepare(const StressOptions& options,
                                 const std::vector<std::string>& plugins,
                                 const std::vector<std::string>& able,
                                 const std::vector<std::string>& needed) {
  Prepared found{.options = options};
  if (absl::Status added = add_locks(plugins, able, needed, found); !added.ok()) return added;
  if (found.engines.empty()) return nothing_here(options);
  if (options.list) return found;
  if (options.engines.empty()) keep_those_of(able, found.engines, found.options);
  complete_names(found.engines, found.options.order, found.options.locks);
  absl::StatusOr<std::vector<TestJob>> jobs = options.self_test
                                                  ? plan_self_test(found.options, found.engines)
                                                  : plan_stress(found.options, found.engines);
  if (!jobs.ok()) return jobs.status();
  found.jobs = *std::move(jobs);
  return found;
}

}  // namespace

int stress_command(const StressOptions& asked, const std::vector<std::string>& plugins) {
  note_signals();
  StressOptions options = asked;
  const absl::StatusOr<std::vector<std::string>> able = engines_for(options);
  if (!able.ok()) return complain_of_usage(able.status());
  if (absl::Status read = read_program_file(options); !read.ok()) return complain_of_usage(read);
  if (absl::Status added = add_plugins(plugins, false, std::cerr); !added.ok()) {
    return complain_of_usage(added);
  }
  const std::vector<std::string> needed = needed_engines(options, *able);
  absl::StatusOr<Prepared> ready = prepare(options, plugins, *able, needed);
  // Why it cannot be done depends on the locks of all engines.
  if (!ready.ok() && !needed.empty()) ready = prepare(options, plugins, *able, {});
  if (!ready.ok()) return complain_of_usage(ready.status());
  if (options.list) return print_listing(ready->engines);
  const StressWork work{ready->options, ready->engines, ready->broken, std::move(ready->jobs),
                        machine_line()};
  return options.self_test ? test_engines(work) : test_locks(work);
}

}  // namespace lockbench
