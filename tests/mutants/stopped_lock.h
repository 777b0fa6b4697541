// SPDX-License-Identifier: Apache-2.0

// StoppableLock: waits until the lock is free or a stop is requested.
#pragma once

#include <cstdint>

#include "harness/stress/lock_promises.h"
#include "primitives/platform/futex.h"
#include "primitives/platform/stop.h"
#include "tests/mutants/by_key.h"

namespace lockbench::mutants {

enum class StopFault { kNone, kLooksTooSoon, kWakesNobody, kGivesUpTheKey };

template <StopFault kFault>
class StoppableLock : public ByKey<StoppableLock<kFault>> {
 public:
  static constexpr LockPromises kPromises{.one_lock = true};

  class Handle : public ByKey<StoppableLock>::Handle {
   public:
    Handle(StoppableLock& lock, std::uint64_t key)
        : ByKey<StoppableLock>::Handle(lock, key), lock_(lock) {}

    using ByKey<StoppableLock>::Handle::lock;
    bool lock(const platform::StopToken& stop) { return lock_.lock_unless(stop); }

   private:
    StoppableLock& lock_;
  };

  Handle handle(std::uint64_t key) { return Handle(*this, key); }

  void lock(std::uint64_t) {
    while (!try_lock(0)) {
      const std::uint32_t seen = changes_.load(std::memory_order_acquire);
      if (held_.load(std::memory_order_relaxed)) platform::futex_wait(changes_, seen);
    }
  }
  bool try_lock(std::uint64_t) { return !held_.exchange(true, std::memory_order_acquire); }
  void unlock(std::uint64_t) {
    held_.store(false, std::memory_order_release);
    announce();
  }

 private:
  bool lock_unless(const platform::StopToken& stop) {
    const auto wake = platform::on_stop(stop, [this] {
      if (kFault != StopFault::kWakesNobody) announce();
    });
    while (!try_lock(0)) {
      if (kFault == StopFault::kLooksTooSoon && stop.stop_requested()) return false;
      const std::uint32_t seen = changes_.load(std::memory_order_acquire);
      if (kFault != StopFault::kLooksTooSoon && stop.stop_requested()) {
        if (kFault == StopFault::kGivesUpTheKey) unlock(0);
        return false;
      }
      if (held_.load(std::memory_order_relaxed)) platform::futex_wait(changes_, seen);
    }
    return true;
  }

  void announce() {
    changes_.fetch_add(1, std::memory_order_release);
    platform::futex_wake(changes_, 1 << 30);
  }

  platform::Atomic<bool> held_{false};
  platform::FutexWord changes_{0};
};

}  // namespace lockbench::mutants
