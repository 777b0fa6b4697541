// SPDX-License-Identifier: Apache-2.0

// LeaseSemaphore: leases per shard, counted by std::counting_semaphore and kept in a free list.
//
// Guarantees   at most `leases` holders of a shard; no lease with two holders.
// Not offered  any order among takers; a try that never fails spuriously: the standard allows a
//              semaphore's try to fail when another thread takes or returns at the same moment.
// Cost         two atomic read-modify-writes for the semaphore, and the free list's mutex twice.
//
// libstdc++ 12 can let acquire() sleep although the count is not zero: it may go to sleep on a
// count that it read before it spun, and release() wakes no thread when the count was not zero (GCC
// bug 104928). So take() waits in slices: a lost wake-up costs one slice instead of a hang.
//
// Invariant
//   I1  the semaphore's count is at most the length of the free list: a lease is put there before
//       it is counted, and counted out before it is taken from there.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <semaphore>
#include <vector>

#include "primitives/peers/lease_shards.h"
#include "primitives/platform/clock.h"

namespace lockbench {

namespace internal {

class SemaphoreShard {
 public:
  static constexpr bool kFair = false;

  void fill(std::uint32_t leases) {
    // Highest number first, so that lease 0 is on top.
    for (std::uint32_t i = leases; i > 0; --i) free_.push_back(i - 1);
    count_.release(leases);
  }

  std::uint32_t take() { return *take_before(platform::kForever); }

  std::optional<std::uint32_t> try_take() {
    if (!count_.try_acquire()) return std::nullopt;
    return pop();
  }

  std::optional<std::uint32_t> take_before(platform::Time deadline) {
    for (;;) {
      if (count_.try_acquire()) return pop();
      const platform::Time now = platform::now();
      if (now >= deadline) return std::nullopt;
      if (count_.try_acquire_until(std::min(deadline, now + kSlice))) return pop();
    }
  }

  void give(std::uint32_t lease) {
    {
      std::scoped_lock guard(mutex_);
      free_.push_back(lease);
    }
    count_.release();
  }

  std::uint32_t available() const {
    std::scoped_lock guard(mutex_);
    return static_cast<std::uint32_t>(free_.size());
  }

  std::size_t bytes_outside() const {
    std::scoped_lock guard(mutex_);
    return free_.capacity() * sizeof(std::uint32_t);
  }

 private:
  static constexpr platform::Duration kSlice = std::chrono::milliseconds(10);

  std::uint32_t pop() {
    std::scoped_lock guard(mutex_);
    const std::uint32_t lease = free_.back();  // I1: there is one
    free_.pop_back();
    return lease;
  }

  std::counting_semaphore<> count_{0};
  mutable std::mutex mutex_;
  std::vector<std::uint32_t> free_;
};

}  // namespace internal

using LeaseSemaphore = internal::LeaseShards<internal::SemaphoreShard>;

}  // namespace lockbench
