// SPDX-License-Identifier: Apache-2.0

// GatedLock: one waiter at a time reads the word, behind a gate at which the others wait. With the
// fault, a waiter at the gate ignores its timeout.
#pragma once

#include <chrono>

#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/spin.h"

namespace lockbench::mutants {

template <bool kTimesTheGate>
class GatedLock {
 public:
  void lock() {
    acquire(gate_, platform::kForever);
    acquire(held_, platform::kForever);
    gate_.store(false, std::memory_order_release);
  }

  bool try_lock() { return take(held_); }

  bool try_lock_for(std::chrono::nanoseconds timeout) {
    const platform::Time deadline = platform::now() + timeout;
    if (!acquire(gate_, kTimesTheGate ? deadline : platform::kForever)) return false;
    const bool had = acquire(held_, deadline);
    gate_.store(false, std::memory_order_release);
    return had;
  }

  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  using Flag = platform::Atomic<bool>;

  static bool take(Flag& flag) { return !flag.exchange(true, std::memory_order_acquire); }

  static bool acquire(Flag& flag, platform::Time deadline) {
    while (!take(flag)) {
      if (platform::now() >= deadline) return false;
      platform::pause();
    }
    return true;
  }

  Flag gate_{false};
  Flag held_{false};
};

}  // namespace lockbench::mutants
