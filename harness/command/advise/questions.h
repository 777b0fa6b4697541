// SPDX-License-Identifier: Apache-2.0

// Questions: asks the user for the case for `lockbench advise`, one question at a time.
#pragma once

#include <istream>
#include <ostream>

#include <absl/status/statusor.h>

#include "harness/command/advise/advice_case.h"

namespace lockbench {

// Prints questions to `out` and reads one line of `in` for each answer. An empty line means the
// value in brackets. After an invalid answer, it prints an explanation and asks again.
// InvalidArgument if `in` ends before the last answer. `threads`: the value in brackets for the
// number of threads.
absl::StatusOr<AdviceCase> ask_case(std::istream& in, std::ostream& out, std::uint32_t threads);

}  // namespace lockbench
