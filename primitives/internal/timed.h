// SPDX-License-Identifier: Apache-2.0

// TimedMembers: the two standard timed members, made of one member that knows a deadline.
//
// A lock derives from TimedMembers<Lock> and has `bool lock_before(platform::Time deadline)`, which
// returns false when the deadline passed without the lock. Any clock and any representation are
// accepted. A deadline or timeout that is out of range counts as the nearest in range; one that is
// not a number (NaN) has passed. If the deadline belongs to another clock than platform::Clock,
// that clock is asked whether it has passed.
#pragma once

#include <chrono>
#include <type_traits>

#include "primitives/platform/clock.h"
#include "primitives/thread_safety.h"

namespace lockbench::internal {

// `timeout` in the clock's unit, rounded up. One of 0 or less, or that is not a number (NaN), is 0;
// one that is out of range is the longest.
template <class Rep, class Period>
platform::Duration in_range(const std::chrono::duration<Rep, Period>& timeout) {
  using Seconds = std::chrono::duration<double>;
  // In seconds first: a timeout of hours may be more nanoseconds than there are.
  const Seconds seconds = timeout;
  if (seconds >= platform::Duration::max()) return platform::Duration::max();
  if (!(seconds > Seconds::zero())) return platform::Duration::zero();
  if constexpr (std::chrono::treat_as_floating_point_v<Rep>) {
    return std::chrono::ceil<platform::Duration>(seconds);
  } else {
    return std::chrono::ceil<platform::Duration>(timeout);
  }
}

template <class Lock>
class LOCKBENCH_CAPABILITY TimedMembers {
 public:
  // Tries for `timeout`; a timeout of 0 or less tries once.
  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& timeout) LOCKBENCH_TRIES(true) {
    return self().lock_before(try_deadline(timeout));
  }

  template <class AnyClock, class Duration>
  bool try_lock_until(const std::chrono::time_point<AnyClock, Duration>& deadline)
      LOCKBENCH_TRIES(true) {
    if constexpr (std::is_same_v<AnyClock, platform::Clock>) {
      // One before the clock's origin has passed.
      return self().lock_before(platform::Time(in_range(deadline.time_since_epoch())));
    } else {
      for (;;) {
        // As numbers with a fraction: the difference of two whole ones may be out of range.
        const Seconds left =
            Seconds(deadline.time_since_epoch()) - Seconds(AnyClock::now().time_since_epoch());
        if (self().lock_before(try_deadline(left))) return true;
        if (!(AnyClock::now() < deadline)) return false;
      }
    }
  }

 private:
  using Seconds = std::chrono::duration<double>;

  Lock& self() { return static_cast<Lock&>(*this); }

  template <class Rep, class Period>
  static platform::Time try_deadline(const std::chrono::duration<Rep, Period>& timeout) {
    const platform::Duration wait = in_range(timeout);
    return wait == platform::Duration::zero() ? platform::Time{} : platform::deadline_after(wait);
  }
};

// The timed members of a handle's shared side, made of its lock_shared_before().
template <class Handle>
class SharedSide : public TimedMembers<SharedSide<Handle>> {
 public:
  explicit SharedSide(Handle& handle) : handle_(handle) {}
  bool lock_before(platform::Time deadline) { return handle_.lock_shared_before(deadline); }

 private:
  Handle& handle_;
};

}  // namespace lockbench::internal
