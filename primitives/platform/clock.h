// SPDX-License-Identifier: Apache-2.0

// Time: the clock that deadlines and measured waits are read from.
//
// Guarantees   monotonic, unaffected by changes of the date; now() takes 20-30 ns.
// Not offered  a meaning across processes or machines.
#pragma once

#include <chrono>

#if defined(LOCKBENCH_SIMULATE)
#include "primitives/platform/simulated/clock.h"
#else
namespace lockbench::platform {
using Clock = std::chrono::steady_clock;
}
#endif

namespace lockbench::platform {

using Time = Clock::time_point;
using Duration = std::chrono::nanoseconds;

// A deadline that never comes.
inline constexpr Time kForever = Time::max();

inline Time now() noexcept {
  return Clock::now();
}

// The time after `timeout`; kForever if it is too far for the clock.
inline Time deadline_after(Duration timeout) noexcept {
  const Time start = now();
  return timeout < kForever - start ? start + timeout : kForever;
}

}  // namespace lockbench::platform
