// SPDX-License-Identifier: Apache-2.0

// TimedLock: a futex lock with timeouts; and variants with one fault each.
#pragma once

#include <chrono>
#include <cstdint>

#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/futex.h"
#include "tests/mutants/bases.h"

namespace lockbench::mutants {

enum class TimedFault {
  kNone,
  kNever,         // sleeps without a deadline
  kLate,          // takes the timeout for one in microseconds
  kTakesInVain,   // gets the lock at the last moment, and says that it did not
  kWeakUnlock,    // gives up when a weak exchange fails
  kOneSleep,      // takes the end of its sleep for the lock
  kRestarts,      // begins the timeout anew whenever it is woken
  kWholeSeconds,  // rounds the timeout up to seconds
  kOnlyOnce,      // after the first wake-up, sleeps without a deadline
  kZeroForever,   // takes a timeout of nothing for none
  kLow32,         // keeps the lower 32 bits of a number of nanoseconds
  kLow32Us,       // the same of microseconds
  kLow31Ms,       // keeps a number of milliseconds as an int
  kWeakTry,       // try_lock() fails when a weak exchange does
  kWeakSleep,     // sleeps on the value that a weak exchange saw, be the lock free
  kWokenIsLate,   // gives up when it was woken and the lock is held
};

template <TimedFault kFault>
class TimedLock : public SleepersWord {
 public:
  void lock() { wait_until(platform::kForever); }

  bool try_lock() {
    if constexpr (kFault == TimedFault::kWeakTry) {
      std::uint32_t seen = kFree;
      return word_.compare_exchange_weak(seen, kHeld, std::memory_order_acquire,
                                         std::memory_order_relaxed);
    }
    return SleepersWord::try_lock();
  }

  bool try_lock_for(std::chrono::nanoseconds timeout) {
    if (kFault == TimedFault::kZeroForever && timeout.count() == 0) {
      return wait_until(platform::kForever);
    }
    timeout = computed(timeout);
    return wait_until(platform::now() + timeout, timeout);
  }
  bool try_lock_until(platform::Time deadline) { return wait_until(deadline); }

  void unlock() {
    if constexpr (kFault == TimedFault::kWeakUnlock) {
      std::uint32_t seen = kHeld;
      if (word_.compare_exchange_weak(seen, kFree, std::memory_order_release)) return;
      if (seen != kWaiters) return;
    }
    SleepersWord::unlock();
  }

 private:
  static std::chrono::nanoseconds computed(std::chrono::nanoseconds timeout) {
    using std::chrono::microseconds;
    using std::chrono::milliseconds;
    switch (kFault) {
      case TimedFault::kLate:
        return timeout * 1000;
      case TimedFault::kWholeSeconds:
        return std::chrono::ceil<std::chrono::seconds>(timeout);
      case TimedFault::kLow32:
        return std::chrono::nanoseconds(static_cast<std::uint32_t>(timeout.count()));
      case TimedFault::kLow32Us:
        return microseconds(
            static_cast<std::uint32_t>(std::chrono::ceil<microseconds>(timeout).count()));
      case TimedFault::kLow31Ms:
        return milliseconds(
            static_cast<std::int32_t>(std::chrono::ceil<milliseconds>(timeout).count()));
      default:
        return timeout;
    }
  }

  bool wait_until(platform::Time deadline, std::chrono::nanoseconds timeout = {}) {
    if (try_lock()) return true;
    if constexpr (kFault == TimedFault::kWeakSleep) {
      std::uint32_t seen = kFree;
      if (word_.compare_exchange_weak(seen, kHeld, std::memory_order_acquire)) return true;
      if (seen == kFree) platform::futex_wait(word_, kFree, deadline);
    }
    const bool never = kFault == TimedFault::kNever;
    while (word_.exchange(kWaiters, std::memory_order_acquire) != kFree) {
      const bool woken =
          platform::futex_wait(word_, kWaiters, never ? platform::kForever : deadline);
      if (kFault == TimedFault::kOneSleep && woken &&
          word_.load(std::memory_order_acquire) == kWaiters) {
        return true;
      }
      if (kFault == TimedFault::kWokenIsLate && woken && deadline != platform::kForever &&
          word_.load(std::memory_order_relaxed) != kFree) {
        return false;
      }
      if (kFault == TimedFault::kOnlyOnce) deadline = platform::kForever;
      if (kFault == TimedFault::kRestarts && timeout.count() != 0) {
        deadline = platform::now() + timeout;
      }
      if (woken) continue;
      if (kFault == TimedFault::kTakesInVain) word_.exchange(kWaiters, std::memory_order_acquire);
      return false;
    }
    return true;
  }
};

}  // namespace lockbench::mutants
