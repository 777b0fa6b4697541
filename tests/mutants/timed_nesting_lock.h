// SPDX-License-Identifier: Apache-2.0

// TimedNestingLock: owner, depth and a lock with timeouts; the faults concern an owner that
// locks it again with a timeout.
#pragma once

#include <chrono>
#include <cstdint>

#include "primitives/concepts.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/thread.h"
#include "tests/mutants/timed_lock.h"

namespace lockbench::mutants {

enum class TimedNestingFault {
  kNone,
  kNotCounted,  // a nested acquisition with a timeout is not counted
  kNotNested,   // it waits for the lock that its thread holds
};

template <TimedNestingFault kFault>
class TimedNestingLock {
 public:
  static constexpr Promises kPromises{.reentrant = true};

  void lock() {
    if (owned()) return static_cast<void>(++depth_);
    lock_.lock();
    own();
  }

  bool try_lock() {
    if (owned()) return ++depth_ != 0;
    if (!lock_.try_lock()) return false;
    own();
    return true;
  }

  bool try_lock_for(std::chrono::nanoseconds timeout) {
    if (kFault != TimedNestingFault::kNotNested && owned()) {
      if (kFault != TimedNestingFault::kNotCounted) ++depth_;
      return true;
    }
    if (!lock_.try_lock_for(timeout)) return false;
    own();
    return true;
  }
  bool try_lock_until(platform::Time deadline) { return try_lock_for(deadline - platform::now()); }

  void unlock() {
    if (--depth_ != 0) return;
    owner_.store(platform::kNoThread, std::memory_order_relaxed);
    lock_.unlock();
  }

 private:
  // relaxed: only this thread stores its own token.
  bool owned() const { return owner_.load(std::memory_order_relaxed) == platform::this_thread(); }

  void own() {
    owner_.store(platform::this_thread(), std::memory_order_relaxed);
    depth_ = 1;
  }

  TimedLock<TimedFault::kNone> lock_;
  platform::Atomic<platform::ThreadToken> owner_{platform::kNoThread};
  std::uint32_t depth_ = 0;
};

}  // namespace lockbench::mutants
