// SPDX-License-Identifier: Apache-2.0

// TimedMembers: the two standard timed members, made of one member that knows a deadline.
//
// A lock derives from TimedMembers<Lock> and has `bool lock_before(platform::Time deadline)`, which
// returns false when the deadline passed without the lock. Any clock is accepted; a clock other
// than platform::Clock is asked again when the wait ends early by its reckoning.
#pragma once

#include <chrono>

#include "primitives/platform/clock.h"

namespace lockbench::internal {

template <class Lock>
class TimedMembers {
 public:
  // Tries for `timeout`; a timeout of 0 or less tries once.
  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& timeout) {
    return self().lock_before(deadline_after(timeout));
  }

  template <class AnyClock, class Duration>
  bool try_lock_until(const std::chrono::time_point<AnyClock, Duration>& deadline) {
    if constexpr (std::is_same_v<AnyClock, platform::Clock>) {
      return self().lock_before(saturated(deadline.time_since_epoch()));
    } else {
      for (;;) {
        const auto left = deadline - AnyClock::now();
        if (self().lock_before(deadline_after(left))) return true;
        if (AnyClock::now() >= deadline) return false;
      }
    }
  }

 private:
  Lock& self() { return static_cast<Lock&>(*this); }

  template <class Rep, class Period>
  static platform::Time deadline_after(const std::chrono::duration<Rep, Period>& timeout) {
    // In seconds first: a timeout of hours may be more nanoseconds than there are.
    return saturated(std::chrono::duration<double>(platform::now().time_since_epoch()) +
                     std::chrono::duration<double>(timeout));
  }

  // The point that far from the clock's origin; one too far for the clock is as good as never, one
  // before the origin as good as now.
  template <class Rep, class Period>
  static platform::Time saturated(const std::chrono::duration<Rep, Period>& since_origin) {
    const std::chrono::duration<double> seconds = since_origin;
    if (seconds >= platform::kForever.time_since_epoch()) return platform::kForever;
    if (seconds.count() <= 0) return platform::Time{};
    return platform::Time(std::chrono::ceil<platform::Duration>(since_origin));
  }
};

}  // namespace lockbench::internal
