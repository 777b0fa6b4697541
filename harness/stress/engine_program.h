// SPDX-License-Identifier: Apache-2.0

// EngineProgram: what the main() of an engine does: `list`, or one order in and one report out.
#pragma once

#include <functional>
#include <span>

#include <absl/status/statusor.h>

#include "harness/stress/registered_lock.h"
#include "harness/stress/report.h"

namespace lockbench::stress {

// Told now and then how far it is, in a few words: "12,345 schedules".
using Tell = std::function<void(const std::string&)>;

using Engine =
    std::function<absl::StatusOr<Report>(const RegisteredLock&, const Order&, const Tell&)>;

// With `list` as its one argument prints a line per lock: name, summary, oracles of which one
// must fail it (by commas) and why the engine cannot, apart by tabs; and returns 0. Without
// arguments reads an Order from standard input, lets `engine` look into its lock, prints what it
// is told in lines that begin with a space, then the Report, and returns 0; or says in one line on
// standard error what is wrong and returns 1 for bad input, 3 when the engine failed.
int run_engine_program(std::span<const char* const> words, std::span<const RegisteredLock> entry,
                       const Engine& engine);

}  // namespace lockbench::stress
