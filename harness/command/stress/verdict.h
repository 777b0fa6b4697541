// SPDX-License-Identifier: Apache-2.0

// StressVerdict: how `lockbench stress` ends.
#pragma once

#include <optional>
#include <string>

#include <absl/status/status.h>

#include "harness/command/stress/engines.h"

namespace lockbench {

// The graver one. Pure.
int worst_exit(int a, int b);

// Pure.
int exit_code_of(const Answer& answer);

// The exit code, when the answer is the end of the whole command: the user interrupted it `where`
// ("in keyed by real, 3 of 12; what was printed stands"), or asked for what there is not. Says so
// on standard error.
std::optional<int> end_for(const Answer& answer, const std::string& where);

// "keyed by real, 3 of 12". Pure.
std::string place_of(const TestJob& job, std::size_t position, std::size_t jobs);

// Says on standard error what the user got wrong, in one line; returns kBadInput.
int complain_of_usage(const absl::Status& status);

}  // namespace lockbench
