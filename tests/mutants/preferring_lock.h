// SPDX-License-Identifier: Apache-2.0

// PreferringLock: a lock that its first holder uses without waiting; with the
// fault, the others wait until that thread has not used it for some time.
#pragma once

#include <cstdint>

#include "primitives/futex_mutex.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/spin.h"
#include "primitives/platform/thread.h"

namespace lockbench::mutants {

// With 0, no thread waits for that.
template <std::int64_t kPatienceMs>
class PreferringLock {
 public:
  void lock() {
    const bool favourite = is_favourite();
    // relaxed: only the time is read.
    while (!favourite &&
           now_ns() - used_at_ns_.load(std::memory_order_relaxed) < kPatienceMs * 1'000'000) {
      platform::yield();
    }
    mutex_.lock();
    if (favourite) used_at_ns_.store(now_ns(), std::memory_order_relaxed);
  }

  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  static std::int64_t now_ns() { return platform::now().time_since_epoch().count(); }

  // relaxed: each thread compares with its own token alone.
  bool is_favourite() {
    platform::ThreadToken favourite = platform::kNoThread;
    return favourite_.compare_exchange_strong(favourite, platform::this_thread(),
                                              std::memory_order_relaxed) ||
           favourite == platform::this_thread();
  }

  FutexMutex mutex_;
  platform::Atomic<platform::ThreadToken> favourite_{platform::kNoThread};
  platform::Atomic<std::int64_t> used_at_ns_{0};
};

}  // namespace lockbench::mutants
