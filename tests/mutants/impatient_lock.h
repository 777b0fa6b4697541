// SPDX-License-Identifier: Apache-2.0

// ImpatientLock: a futex lock whose waiters, broken, take the lock after they have waited for some
// time, as if its holder had died.
#pragma once

#include <cstdint>

#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/futex.h"

namespace lockbench::mutants {

// Of 0, they never do.
template <std::int64_t kPatienceMs>
class ImpatientLock {
 public:
  void lock() {
    if (try_lock()) return;
    const platform::Time end = kPatienceMs == 0
                                   ? platform::kForever
                                   : platform::now() + platform::Duration(kPatienceMs * 1'000'000);
    while (word_.exchange(kWaiters, std::memory_order_acquire) != kFree) {
      if (!platform::futex_wait(word_, kWaiters, end)) return;
    }
  }

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

 private:
  // 0 free | 1 held | 2 held, waiters sleep
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kWaiters = 2;

  platform::FutexWord word_{kFree};
};

}  // namespace lockbench::mutants
