// SPDX-License-Identifier: Apache-2.0

// DelayedLock: a global lock that costs a known time more.
//
// Guarantees   lock() takes what a GlobalLock takes, and `delay` more: computed, not slept, and
//              before the lock is asked for. A delay of 0 is no delay, by the same code.
#pragma once

#include <cstddef>
#include <cstdint>

#include "primitives/global_lock.h"
#include "workloads/work.h"

namespace lockbench {

class DelayedLock {
 public:
  static constexpr Promises kPromises{};

  class Handle {
   public:
    Handle(const Worker& delay, GlobalLock<>& lock) : delay_(delay), claim_(lock.handle(0ull)) {}

    void lock() {
      delay_.perform(nullptr);
      claim_.lock();
    }
    bool try_lock() {
      delay_.perform(nullptr);
      return claim_.try_lock();
    }
    void unlock() { claim_.unlock(); }

   private:
    const Worker& delay_;
    GlobalLock<>::Handle claim_;
  };

  explicit DelayedLock(Nanoseconds delay)
      : delay_(
            {.kind = delay.count() == 0 ? Work::Kind::kNone : Work::Kind::kSpin, .duration = delay},
            SpinPace::measure()) {}

  Handle handle(std::uint64_t) { return {delay_, lock_}; }

  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  const Worker delay_;
  GlobalLock<> lock_;
};

}  // namespace lockbench
