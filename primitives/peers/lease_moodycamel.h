// SPDX-License-Identifier: Apache-2.0

// LeaseMoodycamel: a queue of leases per shard: moodycamel's blocking queue, used as it comes.
//
// Guarantees   at most `leases` holders of a shard; no lease with two holders.
// Not offered  an order among takers.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

// libconcurrentqueue 1.0.4 moved its headers.
#if __has_include(<concurrentqueue/moodycamel/blockingconcurrentqueue.h>)
#include <concurrentqueue/moodycamel/blockingconcurrentqueue.h>
#else
#include <concurrentqueue/blockingconcurrentqueue.h>
#endif

#include "primitives/peers/lease_shards.h"

namespace lockbench {

namespace internal {

class MoodycamelShard {
 public:
  static constexpr bool kFair = false;

  void fill(std::uint32_t leases) {
    for (std::uint32_t i = 0; i < leases; ++i) free_.enqueue(i);
  }

  std::uint32_t take() {
    std::uint32_t lease;
    free_.wait_dequeue(lease);
    return lease;
  }

  std::optional<std::uint32_t> try_take() {
    std::uint32_t lease;
    if (!free_.try_dequeue(lease)) return std::nullopt;
    return lease;
  }

  std::optional<std::uint32_t> take_before(platform::Time deadline) {
    std::uint32_t lease;
    // A negative value would mean forever.
    const auto left = std::max(deadline - platform::now(), platform::Duration::zero());
    if (!free_.wait_dequeue_timed(lease, left)) return std::nullopt;
    return lease;
  }

  void give(std::uint32_t lease) { free_.enqueue(lease); }

  std::uint32_t available() const { return static_cast<std::uint32_t>(free_.size_approx()); }

  // Each thread that ever gave a lease back has a queue of its own, of a block of 32 at least; of
  // these the library says nothing. This is the first alone.
  std::size_t bytes_outside() const {
    using Traits = moodycamel::ConcurrentQueueDefaultTraits;
    return Traits::INITIAL_IMPLICIT_PRODUCER_HASH_SIZE * 2 * sizeof(void*) +
           Traits::BLOCK_SIZE * sizeof(std::uint32_t);
  }

 private:
  moodycamel::BlockingConcurrentQueue<std::uint32_t> free_;
};

}  // namespace internal

using LeaseMoodycamel = internal::LeaseShards<internal::MoodycamelShard>;

}  // namespace lockbench
