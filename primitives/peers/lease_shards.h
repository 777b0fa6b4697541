// SPDX-License-Identifier: Apache-2.0

// LeaseShards: LeasePool's interface over any shard that can hand out numbers.
//
// A `Shard` has fill(leases), called once; take(), which waits; try_take(), which does not; give();
// available(); bytes_outside(), its memory outside of its own object, in bytes; kFair. A shard with
// timeouts also has take_before(deadline), and its handles are TimedLockable.
//
// Guarantees   the guarantees of the shard; shards are independent of each other.
// Requires     the rules for handles in concepts.h; shard numbers below shards().
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

#include "primitives/concepts.h"
#include "primitives/internal/timed.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/layout.h"

namespace lockbench::internal {

template <class Shard>
concept TimedShard = requires(Shard& shard, platform::Time deadline) {
  { shard.take_before(deadline) } -> std::same_as<std::optional<std::uint32_t>>;
};

struct Untimed {};

template <class Shard>
class LeaseShards {
 public:
  static constexpr Promises kPromises{
      .lock_per_key = true, .timed = TimedShard<Shard>, .fair = Shard::kFair};
  static constexpr std::uint32_t kDefaultLeases = 10;

  class Handle;

  // `shards` and `leases` (per shard) are at least 1.
  explicit LeaseShards(std::size_t shards, std::uint32_t leases = kDefaultLeases)
      : count_(shards), leases_(leases), shards_(new Padded[shards]) {
    for (std::size_t i = 0; i < count_; ++i) shards_[i].shard.fill(leases);
  }

  Handle handle(std::uint64_t shard) { return Handle(shards_[shard].shard); }

  std::uint32_t capacity() const { return leases_; }
  std::size_t shards() const { return count_; }

  // Leases of `shard` that are free now.
  std::uint32_t available(std::uint64_t shard) const { return shards_[shard].shard.available(); }

  // An estimate: what the containers keep is computed from sizes, and what the allocator adds to
  // each block is not in it.
  std::size_t lock_bytes() const {
    std::size_t bytes = sizeof *this;
    for (std::size_t i = 0; i < count_; ++i) {
      bytes += sizeof(Padded) + shards_[i].shard.bytes_outside();
    }
    return bytes;
  }

 private:
  struct alignas(platform::kCacheLine) Padded {
    Shard shard;
  };

  const std::size_t count_;
  const std::uint32_t leases_;
  const std::unique_ptr<Padded[]> shards_;
};

template <class Shard>
class LeaseShards<Shard>::Handle
    : public std::conditional_t<TimedShard<Shard>,
                                TimedMembers<typename LeaseShards<Shard>::Handle>, Untimed> {
 public:
  explicit Handle(Shard& shard) : shard_(shard) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  // Takes a lease of the shard.
  void lock() { lease_ = shard_.take(); }
  bool try_lock() { return keep(shard_.try_take()); }
  bool lock_before(platform::Time deadline) requires TimedShard<Shard> {
    return keep(shard_.take_before(deadline));
  }

  // Gives the lease back.
  void unlock() { shard_.give(lease_); }

  // The lease that was taken, below capacity(); meaningful while held.
  std::uint32_t lease() const { return lease_; }

 private:
  bool keep(std::optional<std::uint32_t> lease) {
    lease_ = lease.value_or(0);
    return lease.has_value();
  }

  Shard& shard_;
  std::uint32_t lease_ = 0;
};

}  // namespace lockbench::internal
