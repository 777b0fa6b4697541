// LeasePool: shards, each with a fixed number of leases that threads take and give back.
//
// A lease is a number below `leases`; whoever holds it may use whatever it stands for (the n-th
// database connection of the shard). A shard without free leases makes takers wait.
//
// Guarantees   at most `leases` holders of a shard; no lease with two holders; a lease given back
// is
//              available to any thread, in whatever order threads came. A taker is passed over for
//              at most a millisecond before a lease is handed to it.
// Not offered  strict FIFO order; a second lease for a thread that has one while all are out: if
// all
//              holders of a shard ask again, they wait for each other.
// Requires     the rules for handles in concepts.h; shard numbers below shards().
// Cost         taking and giving back each lock the shard's mutex; O(1).
//
// Invariants, all under the shard's mutex
//   I1  free[0, free_count) are the leases that nobody holds, each once.
//   I2  if a lease is free and somebody waits, then a wake-up is in flight to the first waiter, or
//       a grant is in flight to a thread that will look at the queue before it goes in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "primitives/concepts.h"
#include "primitives/futex_mutex.h"
#include "primitives/internal/timed.h"
#include "primitives/internal/wait_queue.h"
#include "primitives/platform/layout.h"

namespace lockbench {

class LeasePool {
 public:
  static constexpr Promises kPromises{.lock_per_key = true, .timed = true};
  static constexpr std::uint32_t kDefaultLeases = 10;

  class Handle;

  // `shards` and `leases` (per shard) are at least 1.
  explicit LeasePool(std::size_t shards, std::uint32_t leases = kDefaultLeases)
      : count_(shards), leases_(leases), shards_(new Shard[shards]) {
    for (std::size_t i = 0; i < count_; ++i) shards_[i].fill(leases);
  }

  Handle handle(std::uint64_t shard);

  std::uint32_t capacity() const { return leases_; }
  std::size_t shards() const { return count_; }
  std::size_t lock_bytes() const {
    return sizeof *this + count_ * (sizeof(Shard) + leases_ * sizeof(std::uint32_t));
  }

  // Leases of `shard` that nobody holds now.
  std::uint32_t available(std::uint64_t shard) const {
    std::scoped_lock guard(shards_[shard].mutex);
    return shards_[shard].free_count;
  }

 private:
  struct Taker : internal::Waiter {
    std::uint32_t lease = 0;
  };

  struct alignas(platform::kCacheLine) Shard {
    void fill(std::uint32_t leases) {
      free.reset(new std::uint32_t[leases]);
      // Highest number first, so that lease 0 is on top.
      for (std::uint32_t i = 0; i < leases; ++i) free[i] = leases - 1 - i;
      free_count = leases;
    }

    // The lease that came back last is the warmest.
    bool pop(Taker& taker) {
      if (free_count == 0) return false;
      taker.lease = free[--free_count];
      return true;
    }

    FutexMutex mutex;
    std::uint32_t free_count = 0;
    std::unique_ptr<std::uint32_t[]> free;
    internal::WaitQueue waiters;
  };
  static_assert(sizeof(Shard) == platform::kCacheLine);

  static bool acquire(Shard& shard, Taker& taker, platform::Time deadline) {
    {
      std::scoped_lock guard(shard.mutex);
      if (shard.pop(taker)) return true;
      shard.waiters.push_back(taker);
    }
    return wait_for_lease(shard, taker, deadline);
  }

  [[gnu::noinline, gnu::cold]] static bool wait_for_lease(Shard& shard, Taker& taker,
                                                          platform::Time deadline) {
    internal::PendingWake wake;
    const bool taken = [&] {
      for (;;) {
        internal::await_signal(taker, deadline);
        std::scoped_lock guard(shard.mutex);
        // relaxed: signals are sent under the mutex, which this thread holds.
        const bool granted =
            taker.signal.load(std::memory_order_relaxed) == internal::Waiter::kGranted;
        if (granted || shard.pop(taker)) {
          if (!granted) shard.waiters.remove(taker);
          // Several leases may have come back on one signal, be it a wake-up or a grant: the next
          // waiter is told (I2).
          if (shard.free_count != 0) wake_first(shard, wake);
          return true;
        }
        if (platform::now() >= deadline) {
          shard.waiters.remove(taker);
          return false;
        }
        // relaxed: as above.
        taker.signal.store(internal::Waiter::kSpinning, std::memory_order_relaxed);
      }
    }();
    wake.deliver();
    return taken;
  }

  static bool try_acquire(Shard& shard, Taker& taker) {
    std::scoped_lock guard(shard.mutex);
    return shard.pop(taker);
  }

  static void release(Shard& shard, const Taker& taker) {
    internal::PendingWake wake;
    {
      std::scoped_lock guard(shard.mutex);
      shard.free[shard.free_count++] = taker.lease;
      if (!shard.waiters.empty()) [[unlikely]]
        wake_first(shard, wake);
    }
    wake.deliver();
  }

  // Tells the first waiter of a free lease, or hands the lease to it.
  [[gnu::noinline, gnu::cold]] static void wake_first(Shard& shard, internal::PendingWake& wake) {
    internal::Waiter* const first = shard.waiters.first();
    if (first == nullptr) return;
    if (!internal::WaitQueue::impatient(*first)) {
      wake.signal(*first, internal::Waiter::kWoken);
      return;
    }
    shard.waiters.remove(*first);
    shard.pop(static_cast<Taker&>(*first));
    wake.signal(*first, internal::Waiter::kGranted);
  }

  const std::size_t count_;
  const std::uint32_t leases_;
  const std::unique_ptr<Shard[]> shards_;
};

class LeasePool::Handle : public internal::TimedMembers<Handle> {
 public:
  explicit Handle(Shard& shard) : shard_(shard) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  // Takes a lease of the shard.
  void lock() { acquire(shard_, taker_, platform::kForever); }
  bool try_lock() { return try_acquire(shard_, taker_); }
  bool lock_before(platform::Time deadline) { return acquire(shard_, taker_, deadline); }

  // Gives the lease back.
  void unlock() { release(shard_, taker_); }

  // The lease that was taken, below capacity(); meaningful while held.
  std::uint32_t lease() const { return taker_.lease; }

 private:
  Shard& shard_;
  Taker taker_;
};

inline LeasePool::Handle LeasePool::handle(std::uint64_t shard) {
  return Handle(shards_[shard]);
}

}  // namespace lockbench
