// SPDX-License-Identifier: Apache-2.0

// Simulated time: it stands still while any thread can run, unless the scheduler lets it pass, and
// advances to the next deadline when all sleep. So timeouts are explored, not waited for.
#pragma once

#include <chrono>

#include "primitives/platform/simulated/hooks.h"

namespace lockbench::platform {

struct Clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Clock>;
  static constexpr bool is_steady = true;  // NOLINT: the standard's name

  static time_point now() noexcept { return time_point(duration(simulated::now_ns())); }
};

}  // namespace lockbench::platform
