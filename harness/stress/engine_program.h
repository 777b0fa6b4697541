// SPDX-License-Identifier: Apache-2.0

// EngineProgram: the main() of an engine. It either lists its locks, or reads one order and prints
// one report.
#pragma once

#include <functional>
#include <span>

#include <absl/status/statusor.h>

#include "harness/stress/registered_lock.h"
#include "harness/stress/report.h"

namespace lockbench::stress {

// The engine calls this from time to time with its progress in a few words: "12,345 schedules".
using ReportProgress = std::function<void(const std::string&)>;

using Engine = std::function<absl::StatusOr<Report>(const RegisteredLock&, const Order&,
                                                    const ReportProgress&)>;

// `check_net` runs the orders with a net; without it, they are refused.
//
// With `list` as the only argument: prints one line for each lock and returns 0. The fields of a
// line, separated by tabs: name; summary; the oracles of which one must report the lock, separated
// by commas; the reason why this engine cannot detect the fault.
// Without arguments: reads an Order from standard input, runs `test_lock` on its lock, prints each
// progress text on a line that begins with a space, then prints the Report and returns 0.
// On an error: writes one line to standard error and returns an ExitCode (base/exit_code.h): for
// bad input, or for what could not be finished.
int run_engine_program(std::span<const char* const> words, std::span<const RegisteredLock> entry,
                       const Engine& test_lock, const Engine& check_net = nullptr);

}  // namespace lockbench::stress
