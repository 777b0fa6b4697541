// SPDX-License-Identifier: Apache-2.0

// Schedules as text: the decisions of an execution, in order, repeated ones counted:
//   1*4.2*3.f1.t.2
// A number is a thread that goes on, f and a number a store of that thread that leaves its buffer,
// t time that passes, r and a number a value that is so many stores old, w and a number a store
// that comes before the last so many of its word, a and a number all stores that arrive at that
// thread. What is not told is the first that may happen: who runs goes on while it can. A schedule
// that tells nothing is written -.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/stress/explore/strategy.h"

namespace lockbench::stress::explore {

std::string to_text(const std::vector<Option>& schedule);

// Fails with InvalidArgument: where, what, and what would be right.
absl::StatusOr<std::vector<Option>> schedule_from(std::string_view text);

}  // namespace lockbench::stress::explore
