// SPDX-License-Identifier: Apache-2.0

// TimedQueue: grants the lock to waiters with and without timeouts in the order of their arrival.
// The fault prefers waiters with timeouts.
#pragma once

#include <chrono>
#include <list>
#include <mutex>

#include "primitives/concepts.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/futex.h"
#include "primitives/platform/mutex.h"
#include "tests/mutants/bases.h"

namespace lockbench::mutants {

enum class QueueFault {
  kNone,
  kTimedFirst,  // a waiter with a timeout goes before all others
};

template <QueueFault kFault>
class TimedQueue : public MutexAndFlag, public WaitsUntil<TimedQueue<kFault>> {
 public:
  static constexpr Promises kPromises{.fair = true};

  bool wait_until(platform::Time deadline) {
    Waiter mine;
    {
      const std::scoped_lock guard(mutex_);
      if (!held_) return held_ = true;
      const bool first = kFault == QueueFault::kTimedFirst && deadline != platform::kForever;
      waiters_.insert(first ? waiters_.begin() : waiters_.end(), &mine);
    }
    // relaxed: the mutex orders what follows. Who was granted the lock leaves only when the thread
    // that granted it has done so.
    bool in_time = true;
    while (in_time && mine.granted.load(std::memory_order_relaxed) == 0) {
      in_time = platform::futex_wait(mine.granted, 0, deadline);
    }
    const std::scoped_lock guard(mutex_);
    if (mine.granted.load(std::memory_order_relaxed) != 0) return true;
    waiters_.remove(&mine);
    return false;
  }

  void unlock() {
    const std::scoped_lock guard(mutex_);
    if (waiters_.empty()) {
      held_ = false;
      return;
    }
    Waiter& next = *waiters_.front();
    waiters_.pop_front();
    next.granted.store(1, std::memory_order_relaxed);
    platform::futex_wake(next.granted, 1);
  }

 private:
  struct Waiter {
    platform::FutexWord granted{0};
  };

  std::list<Waiter*> waiters_;
};

}  // namespace lockbench::mutants
