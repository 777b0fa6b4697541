// SPDX-License-Identifier: Apache-2.0

// The parts that several base locks have in common, faults apart.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>

#include "primitives/platform/clock.h"
#include "primitives/platform/futex.h"
#include "primitives/platform/mutex.h"
#include "primitives/platform/spin.h"

namespace lockbench::mutants {

// lock() tries until it succeeds.
template <class Lock>
class Spins {
 public:
  void lock() {
    while (!static_cast<Lock&>(*this).try_lock()) platform::pause();
  }
};

// lock() and the calls with timeouts, of a lock that has wait_until(deadline).
template <class Lock>
class WaitsUntil {
 public:
  void lock() { try_lock_until(platform::kForever); }
  bool try_lock_for(std::chrono::nanoseconds timeout) {
    return try_lock_until(platform::now() + timeout);
  }
  bool try_lock_until(platform::Time deadline) {
    return static_cast<Lock&>(*this).wait_until(deadline);
  }
};

// A flag under a mutex.
class MutexAndFlag {
 public:
  bool try_lock() {
    const std::scoped_lock guard(mutex_);
    if (held_) return false;
    return held_ = true;
  }

 protected:
  platform::Mutex mutex_;
  bool held_ = false;
};

// A word on which threads sleep.
class SleepersWord {
 public:
  bool try_lock() {
    std::uint32_t seen = kFree;
    return word_.compare_exchange_strong(seen, kHeld, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }
  void unlock() {
    if (word_.exchange(kFree, std::memory_order_release) == kWaiters) {
      platform::futex_wake(word_, 1);
    }
  }

 protected:
  // 0 free | 1 held | 2 held, and threads may sleep
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kWaiters = 2;

  platform::FutexWord word_{kFree};
};

}  // namespace lockbench::mutants
