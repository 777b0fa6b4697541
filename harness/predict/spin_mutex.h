// SPDX-License-Identifier: Apache-2.0

// SpinMutex: what POSIX spin locks of x86 do, on the simulated platform: a word that is exchanged,
// and read with pauses while it is not free.
//
// Guarantees   mutual exclusion between threads.
// Not offered  FIFO order, fairness, sleeping.
// Why it is here  the C library's code is not predicted, and this has the same accesses.
// Source       L. Rudolph, Z. Segall, "Dynamic Decentralized Cache Schemes for MIMD Parallel
//              Processors", 1984 (test-and-test-and-set).
#pragma once

#include <cstdint>

#include "primitives/platform/atomic.h"
#include "primitives/platform/spin.h"

namespace lockbench::predict {

class SpinMutex {
 public:
  SpinMutex() = default;
  SpinMutex(const SpinMutex&) = delete;
  SpinMutex& operator=(const SpinMutex&) = delete;

  void lock() {
    while (!try_lock()) {
      // relaxed: a hint; (1) decides.
      while (word_.load(std::memory_order_relaxed) != kFree) platform::pause();
    }
  }

  // (1) acquire: synchronizes with (2), the release by the last holder.
  bool try_lock() { return word_.exchange(kHeld, std::memory_order_acquire) == kFree; }

  // (2) release: publishes the critical section to (1).
  void unlock() { word_.store(kFree, std::memory_order_release); }

 private:
  enum State : std::uint32_t { kFree = 0, kHeld = 1 };

  platform::Atomic<std::uint32_t> word_{kFree};
};

}  // namespace lockbench::predict
