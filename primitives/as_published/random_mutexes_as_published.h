// SPDX-License-Identifier: Apache-2.0

// RandomMutexesAsPublished: an array of n mutexes for each shard; a thread picks one at random.
//
// Claimed      at most n threads work on a shard of a database with n connections.
// Faults, all of them kept
//   F1  A thread that picks a held mutex waits for it while others are free. With n = 10 and one
//       holder, every tenth thread waits although nine connections are idle.
//   F2  A thread that requests a second mutex may pick its own, and then waits for itself.
//   F3  Two threads that each hold a mutex and pick the other's mutex wait for each other, because
//       there is no order.
// Ours         try_lock(), which the original does not have: it begins with the picked mutex and
//              tries each of the others once, so that the free mutexes of a shard can be counted.
//              All threads share one random generator, as in the original.
// Source       the lock that LeaseAsPublished replaces: `mutexes[shard].sample.synchronize`. If a
//              thread locks its own mutex again, the original's language raises an error; the
//              article reports a deadlock, which also happens here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "primitives/as_published/plain_lock.h"
#include "primitives/concepts.h"
#include "primitives/platform/atomic.h"

namespace lockbench {

class RandomMutexesAsPublished {
 public:
  static constexpr Promises kPromises{.lock_per_key = true};
  static constexpr std::uint32_t kDefaultLeases = 10;

  class Handle;

  // `shards` and `mutexes` (per shard) are at least 1.
  explicit RandomMutexesAsPublished(std::size_t shards, std::uint32_t mutexes = kDefaultLeases)
      : count_(shards), mutexes_(mutexes), all_(new internal::PlainLock[shards * mutexes]) {}

  Handle handle(std::uint64_t shard);

  std::uint32_t capacity() const { return mutexes_; }
  std::size_t shards() const { return count_; }
  std::size_t lock_bytes() const {
    return sizeof *this + count_ * mutexes_ * sizeof(internal::PlainLock);
  }

 private:
  // The mutex of `shard` numbered `index`.
  internal::PlainLock& mutex(std::uint64_t shard, std::uint32_t index) {
    return all_[shard * mutexes_ + index];
  }

  // SplitMix64: Sebastiano Vigna, 2015.
  std::uint32_t pick() {
    // relaxed: any thread may get any number, as long as no two get the same one.
    std::uint64_t x = drawn_.fetch_add(0x9e3779b97f4a7c15, std::memory_order_relaxed);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return static_cast<std::uint32_t>((x ^ (x >> 31)) % mutexes_);
  }

  const std::size_t count_;
  const std::uint32_t mutexes_;
  const std::unique_ptr<internal::PlainLock[]> all_;
  platform::Atomic<std::uint64_t> drawn_{0};
};

class RandomMutexesAsPublished::Handle {
 public:
  Handle(RandomMutexesAsPublished& owner, std::uint64_t shard) : owner_(owner), shard_(shard) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  // Picks a mutex of the shard, and waits for that one.
  void lock() {
    index_ = owner_.pick();
    owner_.mutex(shard_, index_).acquire();
  }

  bool try_lock() {
    const std::uint32_t first = owner_.pick();
    for (std::uint32_t i = 0; i < owner_.capacity(); ++i) {
      index_ = (first + i) % owner_.capacity();
      if (owner_.mutex(shard_, index_).try_acquire()) return true;
    }
    return false;
  }

  void unlock() { owner_.mutex(shard_, index_).release(); }

  // Number of the mutex, below capacity(); meaningful while held.
  std::uint32_t lease() const { return index_; }

 private:
  RandomMutexesAsPublished& owner_;
  const std::uint64_t shard_;
  std::uint32_t index_ = 0;
};

inline RandomMutexesAsPublished::Handle RandomMutexesAsPublished::handle(std::uint64_t shard) {
  return Handle(*this, shard);
}

}  // namespace lockbench
