// SPDX-License-Identifier: Apache-2.0

// FutexLock: three states and the kernel's queue; and variants with one fault each.
#pragma once

#include <cstdint>

#include "primitives/platform/atomic.h"
#include "primitives/platform/futex.h"
#include "tests/mutants/bases.h"

namespace lockbench::mutants {

enum class FutexFault {
  kNone,
  kForgetsWaiters,     // retakes as "held, no waiters" after it slept
  kWaitsOnFreshValue,  // sleeps on whatever the word is when it gets there
  kNoCheckAfterWake,   // takes a wake-up for the lock
  kWakesNobody,        // gives back without waking
};

template <FutexFault kFault>
class FutexLock : public SleepersWord {
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

  void unlock() {
    const bool waiters = word_.exchange(kFree, std::memory_order_release) == kWaiters;
    if (waiters && kFault != FutexFault::kWakesNobody) platform::futex_wake(word_, 1);
  }

 private:
  void forgetful() {
    for (;;) {
      std::uint32_t seen = kHeld;
      word_.compare_exchange_strong(seen, kWaiters, std::memory_order_relaxed,
                                    std::memory_order_relaxed);
      if (seen != kFree) platform::futex_wait(word_, kWaiters);
      if (try_lock()) return;  // the fault: others may still sleep
    }
  }
};

}  // namespace lockbench::mutants
