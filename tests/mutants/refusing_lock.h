// SPDX-License-Identifier: Apache-2.0

// RefusingLock: test-and-set, whose try_lock() fails more often than it has to. The standard allows
// that, unless it fails for ever because of what other threads did before.
// LateLock: a correct lock that becomes free some time after unlock() has returned.
#pragma once

#include <chrono>
#include <cstdint>

#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/spin.h"
#include "primitives/platform/thread.h"

namespace lockbench::mutants {

enum class RefusalKind {
  kAlways,    // as of a queue lock that cannot leave its queue
  kRemembers  // broken: once it has met a holder, it fails from then on
};

template <RefusalKind kKind>
class RefusingLock {
 public:
  void lock() {
    while (held_.exchange(1, std::memory_order_acquire) != 0) platform::pause();
  }
  bool try_lock() {
    if constexpr (kKind == RefusalKind::kAlways) return false;
    if (refused_.load(std::memory_order_relaxed) != 0) return false;
    if (held_.exchange(1, std::memory_order_acquire) == 0) return true;
    refused_.store(1, std::memory_order_relaxed);
    return false;
  }
  void unlock() { held_.store(0, std::memory_order_release); }

 private:
  platform::Atomic<std::uint32_t> held_{0};
  platform::Atomic<std::uint32_t> refused_{0};
};

class LateLock {
 public:
  void lock() {
    while (!try_lock()) platform::sleep_until(platform::now() + kPause);
  }
  bool try_lock() {
    std::int64_t free_from = free_from_.load(std::memory_order_acquire);
    return free_from <= now() &&
           free_from_.compare_exchange_strong(free_from, kHeld, std::memory_order_acquire,
                                              std::memory_order_relaxed);
  }
  void unlock() { free_from_.store(now() + kDelayNs, std::memory_order_release); }

 private:
  static constexpr std::int64_t kHeld = INT64_MAX;
  static constexpr std::int64_t kDelayNs = 300'000;
  static constexpr platform::Duration kPause = std::chrono::microseconds(100);

  static std::int64_t now() { return platform::now().time_since_epoch().count(); }

  platform::Atomic<std::int64_t> free_from_{0};
};

}  // namespace lockbench::mutants
