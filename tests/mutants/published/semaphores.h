// SPDX-License-Identifier: Apache-2.0

// A published fault of a semaphore that several may have at once, written anew from its report.
#pragma once

#include <cstddef>
#include <cstdint>

#include "primitives/concepts.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/futex.h"

namespace lockbench::mutants::published {

// libc++'s std::counting_semaphore: release() notifies only where the count was 0. Of two threads
// that sleep, the second release in a row wakes none.
// Source  LLVM, github.com/llvm/llvm-project issue 46357, 2020, and pull request 79265, 2024; the
//         version after it notifies whatever the count was.
template <bool kFixed>
class CountingLeases {
 public:
  static constexpr Promises kPromises{};
  static constexpr std::uint32_t kLeases = 2;

  class Handle {
   public:
    explicit Handle(CountingLeases& owner) : owner_(owner) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void lock() {
      while (!owner_.try_acquire()) platform::futex_wait(owner_.count_, 0);
      lease_ = owner_.take_lease();
    }
    bool try_lock() {
      if (!owner_.try_acquire()) return false;
      lease_ = owner_.take_lease();
      return true;
    }
    void unlock() {
      owner_.leases_.fetch_or(1U << lease_, std::memory_order_release);
      owner_.release();
    }
    std::uint32_t lease() const { return lease_; }

   private:
    CountingLeases& owner_;
    std::uint32_t lease_ = 0;
  };

  Handle handle(std::uint64_t) { return Handle(*this); }
  static constexpr std::uint32_t capacity() { return kLeases; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  bool try_acquire() {
    std::uint32_t seen = count_.load(std::memory_order_relaxed);
    while (seen != 0) {
      if (count_.compare_exchange_weak(seen, seen - 1, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  void release() {
    const bool was_zero = count_.fetch_add(1, std::memory_order_release) == 0;
    if (kFixed || was_zero) platform::futex_wake(count_, 1);
  }

  // One is free for whoever has acquired.
  std::uint32_t take_lease() {
    std::uint32_t seen = leases_.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint32_t lease = (seen & 1) != 0 ? 0 : 1;
      if (leases_.compare_exchange_weak(seen, seen & ~(1U << lease), std::memory_order_acquire,
                                        std::memory_order_relaxed)) {
        return lease;
      }
    }
  }

  platform::FutexWord count_{kLeases};
  platform::Atomic<std::uint32_t> leases_{(1U << kLeases) - 1};  // those that are free
};

}  // namespace lockbench::mutants::published
