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
      return self().lock_before(std::chrono::time_point_cast<platform::Duration>(deadline));
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

  // A timeout too long for the clock is as good as none.
  template <class Rep, class Period>
  static platform::Time deadline_after(const std::chrono::duration<Rep, Period>& timeout) {
    const platform::Time now = platform::now();
    const std::chrono::duration<double> seconds = timeout;
    const std::chrono::duration<double> representable = platform::kForever - now;
    if (seconds >= representable) return platform::kForever;
    return now + std::chrono::ceil<platform::Duration>(timeout);
  }
};

}  // namespace lockbench::internal
