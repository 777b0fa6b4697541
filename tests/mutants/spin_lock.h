// SPDX-License-Identifier: Apache-2.0

// SpinLock: test-and-set; and variants with one fault each.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/spin.h"
#include "primitives/platform/thread.h"

namespace lockbench::mutants {

enum class SpinFault {
  kNone,
  kTwoSteps,       // reads that the lock is free, then stores that it is taken
  kRelaxedUnlock,  // unlocks without publishing the writes of the critical section
  kRelaxedLock,    // locks without acquiring the writes of earlier critical sections
  kNothing,        // neither waits nor stores anything
  kGivesUp,        // stops waiting after some reads and enters the critical section
  kBacksOff,  // a thread that misses the lock waits longer each time, and all others get it before
  kSpuriousTry,  // try_lock() sometimes fails although no other thread uses the lock
};

template <SpinFault kFault>
class SpinLock {
 public:
  void lock() {
    if constexpr (kFault == SpinFault::kNothing) return;
    if constexpr (kFault == SpinFault::kBacksOff) return back_off();
    int patience = kPatience;
    while (!try_lock()) {
      if (kFault == SpinFault::kGivesUp && --patience == 0) return;
      platform::pause();
    }
  }

  bool try_lock() {
    if constexpr (kFault == SpinFault::kNothing) {
      return true;
    } else if constexpr (kFault == SpinFault::kTwoSteps) {
      if (held_.load(std::memory_order_acquire) != 0) return false;
      held_.store(1, std::memory_order_relaxed);
      return true;
    } else if constexpr (kFault == SpinFault::kRelaxedLock) {
      return held_.exchange(1, std::memory_order_relaxed) == 0;
    } else {
      if constexpr (kFault == SpinFault::kSpuriousTry) {
        if (tries_.fetch_add(1, std::memory_order_relaxed) % 3 == 2) return false;
      }
      return held_.exchange(1, std::memory_order_acquire) == 0;
    }
  }

  void unlock() {
    if constexpr (kFault == SpinFault::kNothing) return;
    held_.store(0, kFault == SpinFault::kRelaxedUnlock ? std::memory_order_relaxed
                                                       : std::memory_order_release);
  }

 private:
  static constexpr platform::Duration kFirstWait = std::chrono::microseconds(10);
  static constexpr platform::Duration kLongestWait = std::chrono::milliseconds(200);

  void back_off() {
    for (platform::Duration wait = kFirstWait; !try_lock();
         wait = std::min(32 * wait, kLongestWait)) {
      platform::sleep_until(platform::now() + wait);
    }
  }

  static constexpr int kPatience = platform::spins(20'000) + 2;

  platform::Atomic<std::uint32_t> held_{0};
  platform::Atomic<std::uint32_t> tries_{0};
};

}  // namespace lockbench::mutants
