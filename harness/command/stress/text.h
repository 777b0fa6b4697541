// SPDX-License-Identifier: Apache-2.0

// What `lockbench stress` prints. Pure.
#pragma once

#include <string>

#include "harness/stress/report.h"

namespace lockbench {

// A report, for people: one line when clean; else what was found, how it came about, and the
// command that has it again. `machine` is one line about machine and build.
std::string stress_text(const stress::Report& report, const std::string& machine);

// The command that has a failure again.
std::string replay_command(const stress::Report& report);

}  // namespace lockbench
