// EngineProgram: what the main() of an engine does: `list`, or one order in and one report out.
#pragma once

#include <functional>
#include <span>

#include <absl/status/statusor.h>

#include "harness/stress/report.h"
#include "harness/stress/suspect.h"

namespace lockbench::stress {

using Engine = std::function<absl::StatusOr<Report>(const Lineup&, const Order&)>;

// With `list` as its one argument prints a line per suspect, `name<tab>summary`, and returns 0.
// Without arguments reads an Order from standard input, lets `engine` look into its suspect, prints
// the Report and returns 0; or says in one line on standard error what is wrong and returns 1 for
// bad input, 3 when the engine failed.
int run_engine_program(std::span<const char* const> words, std::span<const Lineup> lineup,
                       const Engine& engine);

}  // namespace lockbench::stress
