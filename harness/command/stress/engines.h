// SPDX-License-Identifier: Apache-2.0

// StressEngines: the engines' programs, found, listed and asked.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/command/stress/plan.h"
#include "harness/stress/report.h"

namespace lockbench {

// The engines that lie beside this program, or where an installed one keeps them, with the locks
// that each knows. `suffix` is empty for the locks that are shipped, `-mutants` for broken ones.
std::vector<EngineListing> engines_named(const std::string& suffix);

// Adds what the engines say of a plug-in: the real one of its file, the simulated one of the file
// that was built for it, which lies beside as NAME.sim.so. InvalidArgument where that file is
// refused, or where `must_simulate` and there is none.
absl::Status add_plugin_engines(const std::filesystem::path& plugin, bool must_simulate,
                                std::vector<EngineListing>& found);

// The words that repeat a failure name the plug-in as the user did.
void name_plugin(const TestJob& job, stress::Report& report);

struct Answer {
  stress::Report report;
  bool engine_failed = false;
  bool interrupted = false;
  std::string told = {};  // when interrupted: how far it was, in the engine's words, if it said so
  std::string misused = {};  // what was wrong with the order, in the engine's words
};

// Of what an engine has printed so far, the last that it said of how far it is: "1234 executions";
// empty: nothing yet. Pure.
std::string_view last_told(std::string_view out);

// Starts the engine's program, gives it the order and reads its report. `live` is called now and
// then with what it has printed so far.
Answer ask(const TestJob& job, stress::Order order,
           const std::function<void(std::string_view)>& live);

}  // namespace lockbench
