// SPDX-License-Identifier: Apache-2.0

// ProcessFence: a Fence (primitives/fence.h) that processes share.
//
// Guarantees   as Fence, between processes that share the memory it is in.
// Not offered  progress while a process is stopped, or after one was killed, in a call: the
// resource
//              of service_counter needs no lock, this one does.
#pragma once

#include <cstdint>
#include <utility>

#include "primitives/platform/shared_futex.h"

namespace lockbench {

class ProcessFence {
 public:
  // Calls `work()`, alone, unless a greater token has passed; returns whether it did.
  template <class Work>
  bool pass(std::uint64_t token, Work&& work) {
    lock();
    const bool passes = token >= greatest_;
    if (passes) {
      greatest_ = token;
      std::forward<Work>(work)();
    }
    unlock();
    return passes;
  }

 private:
  // word_: 0 free | 1 held | 2 held, and perhaps waited for. After U. Drepper, "Futexes Are
  // Tricky", 2011.
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kWaitedFor = 2;

  void lock() {
    std::uint32_t seen = kFree;
    // (1) acquire: synchronizes with (3). relaxed on failure: (2) decides.
    if (word_.compare_exchange_strong(seen, kHeld, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
      return;
    }
    // (2) acquire: synchronizes with (3).
    while (word_.exchange(kWaitedFor, std::memory_order_acquire) != kFree) {
      platform::shared_futex_wait(word_, kWaitedFor);
    }
  }

  void unlock() {
    // (3) release: publishes greatest_ and the work to (1) and (2).
    if (word_.exchange(kFree, std::memory_order_release) == kWaitedFor) {
      platform::shared_futex_wake(word_, 1);
    }
  }

  platform::SharedWord word_{kFree};
  std::uint64_t greatest_ = 0;
};

}  // namespace lockbench
