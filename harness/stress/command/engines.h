// SPDX-License-Identifier: Apache-2.0

// StressEngines: finds the engines' programs, lists their locks and runs them.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/stress/command/plan.h"
#include "harness/stress/report.h"

namespace lockbench {

// The engines in the folder of this program or of an installation, with the locks of each: of those
// that `names` has; of all, if it is empty. Each engine's program is started, which takes some tens
// of milliseconds. `suffix` is empty for the shipped locks and `-mutants` for broken ones.
std::vector<EngineListing> engines_named(const std::string& suffix,
                                         const std::vector<std::string>& names = {});

// Adds the locks of a plug-in to the engines: to the real engine those of its file, to the
// simulated engine those of the file NAME.sim.so beside it, which was built for simulation.
// InvalidArgument if that file is refused, or if `must_simulate` is set and the file does not
// exist. The `added` engines get its locks, too. Engines that `names` lacks are left out, unless it
// is empty.
absl::Status add_plugin_engines(const std::filesystem::path& plugin, bool must_simulate,
                                const std::vector<AddedEngine>& added,
                                const std::vector<std::string>& names,
                                std::vector<EngineListing>& found);

// Adds the plug-in to the options that repeat a failure, with the name that the user gave.
void name_plugin(const TestJob& job, stress::Report& report);

// If the program of the report's replay is the one of --program-file, names the file instead.
void replay_from_file(const StressOptions& options, stress::Report& report);

struct Answer {
  stress::Report report;
  bool engine_failed = false;
  bool interrupted = false;
  std::string progress = {};  // if interrupted: the last progress that the engine reported, if any
  std::string misused = {};   // if the order was invalid: the engine's message
};

// The last progress in the output of an engine so far: "1234 executions"; empty: none yet. Pure.
std::string_view last_progress(std::string_view out);

// Starts the engine's program, sends it the order and reads its report. `live` is called from time
// to time with its output so far.
Answer ask(const TestJob& job, stress::Order order,
           const std::function<void(std::string_view)>& live);

}  // namespace lockbench
