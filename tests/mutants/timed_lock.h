// SPDX-License-Identifier: Apache-2.0

// TimedLock: a futex lock with timeouts; and what becomes of it with one fault.
#pragma once

#include <chrono>
#include <cstdint>

#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/futex.h"

namespace lockbench::mutants {

enum class TimedFault {
  kNone,
  kNever,        // sleeps without a deadline
  kLate,         // takes the timeout for one in microseconds
  kTakesInVain,  // gets the lock at the last moment, and says that it did not
  kWeakUnlock,   // gives up when a weak exchange fails
  kOneSleep,     // takes the end of its sleep for the lock
};

template <TimedFault kFault>
class TimedLock {
 public:
  void lock() { wait_until(platform::kForever); }

  bool try_lock() {
    std::uint32_t seen = kFree;
    return word_.compare_exchange_strong(seen, kHeld, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }

  bool try_lock_for(std::chrono::nanoseconds timeout) {
    if (kFault == TimedFault::kLate) timeout *= 1000;
    return wait_until(platform::now() + timeout);
  }
  bool try_lock_until(platform::Time deadline) { return wait_until(deadline); }

  void unlock() {
    if constexpr (kFault == TimedFault::kWeakUnlock) {
      std::uint32_t seen = kHeld;
      if (word_.compare_exchange_weak(seen, kFree, std::memory_order_release)) return;
      if (seen != kWaiters) return;
    }
    if (word_.exchange(kFree, std::memory_order_release) == kWaiters) {
      platform::futex_wake(word_, 1);
    }
  }

 private:
  // 0 free | 1 held | 2 held, waiters sleep
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kWaiters = 2;

  bool wait_until(platform::Time deadline) {
    if (try_lock()) return true;
    const bool never = kFault == TimedFault::kNever;
    while (word_.exchange(kWaiters, std::memory_order_acquire) != kFree) {
      const bool woken =
          platform::futex_wait(word_, kWaiters, never ? platform::kForever : deadline);
      if (kFault == TimedFault::kOneSleep && woken &&
          word_.load(std::memory_order_acquire) == kWaiters) {
        return true;
      }
      if (woken) continue;
      if (kFault == TimedFault::kTakesInVain) word_.exchange(kWaiters, std::memory_order_acquire);
      return false;
    }
    return true;
  }

  platform::FutexWord word_{kFree};
};

}  // namespace lockbench::mutants
