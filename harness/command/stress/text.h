// SPDX-License-Identifier: Apache-2.0

// The output of `lockbench stress`. Pure.
#pragma once

#include <string>

#include "harness/stress/report.h"

namespace lockbench {

// A report for users: one line if there is no failure; otherwise the failure, how it occurred, and
// the command that reproduces it. `machine` is one line about machine and build.
std::string stress_text(const stress::Report& report, const std::string& machine);

// The command that reproduces a failure.
std::string replay_command(const stress::Report& report);

}  // namespace lockbench
