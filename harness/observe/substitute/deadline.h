// SPDX-License-Identifier: Apache-2.0

// Deadline: how long a pthread function waits.
#pragma once

#include <cstdint>
#include <ctime>

#include "primitives/platform/clock.h"

namespace lockbench {

// An absolute time of a clock of the kernel, as POSIX functions take it; nullptr: never.
struct Deadline {
  clockid_t clock = CLOCK_REALTIME;
  const timespec* time = nullptr;

  bool valid() const { return time == nullptr || (time->tv_nsec >= 0 && time->tv_nsec < kSecond); }
  bool has_passed() const {
    timespec now{};
    clock_gettime(clock, &now);
    return time != nullptr && nanoseconds_until(now) <= 0;
  }
  // The same on the clock of our locks.
  platform::Time on_our_clock() const {
    if (time == nullptr) return platform::kForever;
    timespec now{};
    clock_gettime(clock, &now);
    return platform::now() + platform::Duration(nanoseconds_until(now));
  }

 private:
  static constexpr long kSecond = 1'000'000'000;

  // At most a century, so that it can be added to any time.
  std::int64_t nanoseconds_until(const timespec& now) const {
    constexpr std::int64_t kCentury = std::int64_t{100} * 365 * 86400;
    std::int64_t seconds = static_cast<std::int64_t>(time->tv_sec) - now.tv_sec;
    if (seconds > kCentury) seconds = kCentury;
    if (seconds < -kCentury) seconds = -kCentury;
    return seconds * kSecond + (time->tv_nsec - now.tv_nsec);
  }
};

}  // namespace lockbench
