// SPDX-License-Identifier: Apache-2.0

// LeaseAsPublished: a queue of numbers for each shard; a thread takes a number from the front and
// returns it at the end.
//
// Claimed      at most n threads work on a shard; no thread waits for a particular thread, so a
//              thread that keeps its lease delays no other, and a request for a second lease is
//              served when another thread returns its lease.
// Faults, all of them kept
//   F1  The last claim is wrong: if n threads each hold one of n leases and request another, there
//       is no other thread. All wait forever, and nothing reports it.
//   F2  A lease that is not returned is lost, with its connection. Its holder is not recorded.
//   F3  A wait cannot be given up.
// Ours         try_lock(), numbers from 0 instead of 1, available().
// Source       an article on a limit for the threads that use each shard of a database, in which
//              this lock replaces RandomMutexesAsPublished.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "primitives/concepts.h"
#include "primitives/platform/mutex.h"

namespace lockbench {

class LeaseAsPublished {
 public:
  static constexpr Promises kPromises{.lock_per_key = true};
  static constexpr std::uint32_t kDefaultLeases = 10;

  class Handle;

  // `shards` and `leases` (per shard) are at least 1.
  explicit LeaseAsPublished(std::size_t shards, std::uint32_t leases = kDefaultLeases)
      : count_(shards), leases_(leases), shards_(new Queue[shards]) {
    for (std::size_t shard = 0; shard < shards; ++shard) {
      for (std::uint32_t lease = 0; lease < leases; ++lease) shards_[shard].push(lease);
    }
  }

  Handle handle(std::uint64_t shard);

  std::uint32_t capacity() const { return leases_; }
  std::size_t shards() const { return count_; }

  // Leases of `shard` that are free now.
  std::uint32_t available(std::uint64_t shard) const { return shards_[shard].size(); }

  // An estimate: it does not include what the queues allocate.
  std::size_t lock_bytes() const {
    return sizeof *this + count_ * (sizeof(Queue) + leases_ * sizeof(std::uint32_t));
  }

 private:
  // The original library's thread-safe queue: pop() waits while it is empty.
  class Queue {
   public:
    void push(std::uint32_t lease) {
      std::unique_lock guard(mutex_);
      leases_.push_back(lease);
      pushed_.notify_one();
    }

    std::uint32_t pop() {
      std::unique_lock guard(mutex_);
      pushed_.wait(guard, [this] { return !leases_.empty(); });
      return take_first();
    }

    bool try_pop(std::uint32_t& lease) {
      std::unique_lock guard(mutex_);
      if (leases_.empty()) return false;
      lease = take_first();
      return true;
    }

    std::uint32_t size() const {
      std::unique_lock guard(mutex_);
      return static_cast<std::uint32_t>(leases_.size());
    }

   private:
    std::uint32_t take_first() {
      const std::uint32_t lease = leases_.front();
      leases_.pop_front();
      return lease;
    }

    mutable platform::Mutex mutex_;
    platform::ConditionVariable pushed_;
    std::deque<std::uint32_t> leases_;
  };

  const std::size_t count_;
  const std::uint32_t leases_;
  const std::unique_ptr<Queue[]> shards_;
};

class LeaseAsPublished::Handle {
 public:
  explicit Handle(Queue& queue) : queue_(queue) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  // Takes a lease of the shard.
  void lock() { lease_ = queue_.pop(); }
  bool try_lock() { return queue_.try_pop(lease_); }

  // Returns the lease.
  void unlock() { queue_.push(lease_); }

  // The lease that was taken, below capacity(); meaningful while held.
  std::uint32_t lease() const { return lease_; }

 private:
  Queue& queue_;
  std::uint32_t lease_ = 0;
};

inline LeaseAsPublished::Handle LeaseAsPublished::handle(std::uint64_t shard) {
  return Handle(shards_[shard]);
}

}  // namespace lockbench
