// SPDX-License-Identifier: Apache-2.0

// StressVerdict: the exit code of `lockbench stress`.
#pragma once

#include <optional>
#include <string>

#include <absl/status/status.h>

#include "harness/stress/command/engines.h"

namespace lockbench {

// The worse of two exit codes. Pure.
int worst_exit(int a, int b);

// Pure.
int exit_code_of(const Answer& answer);

// The exit code if this answer ends the whole command: the user interrupted it `where` ("in keyed
// by real, 3 of 12; what was printed stands"), or requested something that does not exist. Prints
// the reason to standard error.
std::optional<int> end_for(const Answer& answer, const std::string& where);

// "keyed by real, 3 of 12". Pure.
std::string position_text(const TestJob& job, std::size_t position, std::size_t jobs);

// Prints one line about bad input to standard error; returns kBadInput.
int complain_of_usage(const absl::Status& status);

}  // namespace lockbench
