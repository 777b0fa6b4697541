// SPDX-License-Identifier: Apache-2.0

// A published fault of a semaphore that several may have at once, written anew from its report.
#pragma once

#include <cstddef>
#include <cstdint>

#include "primitives/concepts.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/futex.h"
#include "tests/mutants/by_key.h"

namespace lockbench::mutants::published {

// libc++'s std::counting_semaphore: release() notifies only where the count was 0. Of two threads
// that sleep, the second release in a row wakes none.
// Source  LLVM, github.com/llvm/llvm-project issue 46357, 2020, and pull request 79265, 2024; the
//         version after it notifies whatever the count was.
template <bool kFixed>
class CountingLeases : public ByLease<CountingLeases<kFixed>> {
 public:
  static constexpr Promises kPromises{};
  static constexpr std::uint32_t kLeases = 2;

  std::uint32_t take() {
    while (!try_acquire()) platform::futex_wait(count_, 0);
    return take_lease();
  }
  bool try_take(std::uint32_t& lease) {
    if (!try_acquire()) return false;
    lease = take_lease();
    return true;
  }
  void give(std::uint32_t lease) {
    leases_.fetch_or(1U << lease, std::memory_order_release);
    release();
  }

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
