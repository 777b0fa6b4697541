// SPDX-License-Identifier: Apache-2.0

// during_hold: what happens while a holder is busy, decided by the test, on one thread.
//
// This program has a clock_nanosleep() of its own, which takes the place of the C library's: it
// does not sleep but does what the test asked for. A workload that holds by sleeping thus stands
// still between its read and its write, and the test lets other actors in, at a known moment and
// without a race.
#pragma once

#include <functional>
#include <utility>

#include "workloads/settings.h"

namespace lockbench {

// A hold that calls clock_nanosleep() once.
inline constexpr Work kHoldAsleep{.kind = Work::Kind::kSleep, .duration = Nanoseconds(1)};

// Does `what` in the next hold; holds within `what`, and those after it, are empty.
void during_next_hold(std::function<void()> what);

}  // namespace lockbench
