// SPDX-License-Identifier: Apache-2.0

// LeaseTbb: a queue of leases per shard: tbb::concurrent_bounded_queue, used as it comes.
//
// Guarantees   at most `leases` holders of a shard; no lease with two holders; takers are served in
//              the order in which they came.
// Not offered  timeouts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <oneapi/tbb/concurrent_queue.h>

#include "primitives/peers/lease_shards.h"

namespace lockbench {

namespace internal {

class TbbShard {
 public:
  static constexpr bool kFair = true;

  void fill(std::uint32_t leases) {
    for (std::uint32_t i = 0; i < leases; ++i) free_.push(i);
  }

  std::uint32_t take() {
    std::uint32_t lease;
    free_.pop(lease);
    return lease;
  }

  std::optional<std::uint32_t> try_take() {
    std::uint32_t lease;
    if (!free_.try_pop(lease)) return std::nullopt;
    return lease;
  }

  void give(std::uint32_t lease) { free_.push(lease); }

  std::uint32_t available() const {
    // Takers that wait make the size negative.
    return static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(free_.size(), 0));
  }

  // oneTBB 2021: eight queues behind one head, each with at least a page of 32 items.
  std::size_t bytes_outside() const {
    constexpr std::size_t kHead = 768;
    constexpr std::size_t kQueues = 8;
    constexpr std::size_t kItemsPerPage = 32;
    constexpr std::size_t kPage = kItemsPerPage * sizeof(std::uint32_t) + 2 * sizeof(void*);
    const std::size_t full_pages = available() / kItemsPerPage;
    return kHead + std::max(kQueues, full_pages) * kPage;
  }

 private:
  tbb::concurrent_bounded_queue<std::uint32_t> free_;
};

}  // namespace internal

using LeaseTbb = internal::LeaseShards<internal::TbbShard>;

}  // namespace lockbench
