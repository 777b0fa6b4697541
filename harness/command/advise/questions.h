// SPDX-License-Identifier: Apache-2.0

// Questions: the case for `lockbench advise`, asked one question at a time.
#pragma once

#include <istream>
#include <ostream>

#include <absl/status/statusor.h>

#include "harness/command/advise/advice_case.h"

namespace lockbench {

// Asks on `out` and reads a line of `in` for each answer. An empty line takes the value in
// brackets; an answer that is wrong is explained and asked for again. InvalidArgument if `in` ends
// before the last answer. `threads`: what stands in brackets for the number of threads.
absl::StatusOr<AdviceCase> ask_case(std::istream& in, std::ostream& out, std::uint32_t threads);

}  // namespace lockbench
