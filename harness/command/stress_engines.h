// StressEngines: the engines' programs, found, listed and asked.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/command/stress_plan.h"
#include "harness/stress/report.h"

namespace lockbench {

// The engines that lie beside this program, or where an installed one keeps them, with the locks
// that each knows. `suffix` is empty for the locks that are shipped, `-mutants` for broken ones.
std::vector<EngineListing> engines_named(const std::string& suffix);

struct Answer {
  stress::Report report;
  bool engine_failed = false;
  bool interrupted = false;
  std::string misused = {};  // what was wrong with the order, in the engine's words
};

// Starts the engine's program, gives it the order and reads its report. `live` is called now and
// then with what it has printed so far.
Answer ask(const Charge& charge, stress::Order order,
           const std::function<void(std::string_view)>& live);

}  // namespace lockbench
