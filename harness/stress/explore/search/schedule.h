// SPDX-License-Identifier: Apache-2.0

// Schedules as text: the decisions of an execution in order, with a count for repeated ones:
//   1*4.2*3.f1.t.2
// The decisions are:
//   1   thread 1 runs                       f1  a store of thread 1 leaves its buffer
//   t   time passes                         s1  the next operation of thread 1 fails or returns
//                                               spuriously
//   r1  a load reads a value that is 1 store old
//   w1  a store comes before the last 1 store of its word
//   a1  all stores so far become visible to thread 1
//   e   threads that poll or yield wait for a change from now on; before that, if a schedule has an
//       e, they go on as they are chosen
// If a schedule contains no decision for a point, the first option is taken: the running thread
// continues while it can. Before the decisions come the conditions that are not the usual ones:
//   p   threads poll as long as they like    d   data races do not end the execution
// A schedule without any of these is written as `-`.
#pragma once

#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "harness/stress/explore/strategy.h"

namespace lockbench::stress::explore {

std::string to_text(const Schedule& schedule);

// Fails with InvalidArgument; the message says where, what is wrong and what is valid.
absl::StatusOr<Schedule> schedule_from(std::string_view text);

}  // namespace lockbench::stress::explore
