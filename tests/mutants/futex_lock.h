// SPDX-License-Identifier: Apache-2.0

// FutexLock: three states and the kernel's queue; and variants with one fault each.
#pragma once

#include <cstdint>

#include "primitives/platform/atomic.h"
#include "primitives/platform/futex.h"

namespace lockbench::mutants {

enum class FutexFault {
  kNone,
  kForgetsWaiters,     // retakes as "held, no waiters" after it slept
  kWaitsOnFreshValue,  // sleeps on whatever the word is when it gets there
  kNoCheckAfterWake,   // takes a wake-up for the lock
  kWakesNobody,        // gives back without waking
};

template <FutexFault kFault>
class FutexLock {
 public:
  void lock() {
    if (try_lock()) return;
    if constexpr (kFault == FutexFault::kForgetsWaiters) {
      forgetful();
    } else {
      while (word_.exchange(kWaiters, std::memory_order_acquire) != kFree) {
        std::uint32_t expected = kWaiters;
        if constexpr (kFault == FutexFault::kWaitsOnFreshValue) {
          expected = word_.load(std::memory_order_relaxed);
        }
        platform::futex_wait(word_, expected);
        if constexpr (kFault == FutexFault::kNoCheckAfterWake) {
          word_.store(kWaiters, std::memory_order_relaxed);
          return;
        }
      }
    }
  }

  bool try_lock() {
    std::uint32_t seen = kFree;
    return word_.compare_exchange_strong(seen, kHeld, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }

  void unlock() {
    const bool waiters = word_.exchange(kFree, std::memory_order_release) == kWaiters;
    if (waiters && kFault != FutexFault::kWakesNobody) platform::futex_wake(word_, 1);
  }

 private:
  // 0 free | 1 held | 2 held, waiters sleep
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kWaiters = 2;

  void forgetful() {
    for (;;) {
      std::uint32_t seen = kHeld;
      word_.compare_exchange_strong(seen, kWaiters, std::memory_order_relaxed,
                                    std::memory_order_relaxed);
      if (seen != kFree) platform::futex_wait(word_, kWaiters);
      if (try_lock()) return;  // the fault: others may still sleep
    }
  }

  platform::FutexWord word_{kFree};
};

}  // namespace lockbench::mutants
