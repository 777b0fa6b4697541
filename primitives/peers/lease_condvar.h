// SPDX-License-Identifier: Apache-2.0

// LeaseCondvar: a queue of leases per shard, made of a mutex, a condition variable and a deque.
//
// Guarantees   at most `leases` holders of a shard; no lease with two holders; leases go round: the
//              one that came back first is given out first.
// Not offered  any order among takers.
// Cost         taking and giving back each lock the shard's mutex; giving back signals the
//              condition variable, which is a system call when a thread waits.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

#include "primitives/peers/lease_shards.h"
#include "primitives/platform/clock.h"

namespace lockbench {

namespace internal {

class CondvarShard {
 public:
  static constexpr bool kFair = false;

  void fill(std::uint32_t leases) {
    for (std::uint32_t i = 0; i < leases; ++i) free_.push_back(i);
  }

  std::uint32_t take() {
    std::unique_lock guard(mutex_);
    returned_.wait(guard, [this] { return !free_.empty(); });
    return pop();
  }

  std::optional<std::uint32_t> try_take() {
    std::scoped_lock guard(mutex_);
    if (free_.empty()) return std::nullopt;
    return pop();
  }

  std::optional<std::uint32_t> take_before(platform::Time deadline) {
    std::unique_lock guard(mutex_);
    if (!returned_.wait_until(guard, deadline, [this] { return !free_.empty(); })) {
      return std::nullopt;
    }
    return pop();
  }

  void give(std::uint32_t lease) {
    {
      std::scoped_lock guard(mutex_);
      free_.push_back(lease);
    }
    returned_.notify_one();
  }

  std::uint32_t available() const {
    std::scoped_lock guard(mutex_);
    return static_cast<std::uint32_t>(free_.size());
  }

  // libstdc++'s deque: blocks of 512 bytes, at least one of them, and pointers to the blocks.
  std::size_t bytes_outside() const {
    constexpr std::size_t kBlock = 512;
    constexpr std::size_t kLeastPointers = 8;
    std::scoped_lock guard(mutex_);
    return (free_.size() * sizeof(std::uint32_t) / kBlock + 1) * kBlock +
           kLeastPointers * sizeof(void*);
  }

 private:
  std::uint32_t pop() {
    const std::uint32_t lease = free_.front();
    free_.pop_front();
    return lease;
  }

  mutable std::mutex mutex_;
  std::condition_variable returned_;
  std::deque<std::uint32_t> free_;
};

}  // namespace internal

using LeaseCondvar = internal::LeaseShards<internal::CondvarShard>;

}  // namespace lockbench
