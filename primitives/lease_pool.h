// SPDX-License-Identifier: Apache-2.0

// LeasePool: shards, each with a fixed number of leases that threads take and give back.
//
// A lease is a number below `leases`; whoever holds it may use whatever it stands for (the n-th
// database connection of the shard). A shard without free leases makes takers wait.
//
// In which order takers are served:
//   kUnordered   whoever comes while a lease is free gets it; a waiter is passed over for at most
//                ten milliseconds before a lease is handed to it
//   kFifo        strictly in the order in which they came; each lease is handed over, which costs a
//                wake-up whenever somebody waits
// What becomes of a thread that has a lease of the shard and asks for another:
//   kRefuse      it gets another; where that can never be, because every lease of the shard is out
//                to a thread that waits without limit for one more, lock() throws at once
//   kShare       it goes in on the lease that it has, which comes back with its last unlock()
//   kWait        it gets another, or waits: if all holders of a shard ask again, for ever
//
// Guarantees   at most `leases` holders of a shard; no lease with two threads; a lease given back
//              is available to any thread.
// Not offered  detection of threads that wait for each other across shards, or across pools.
// Requires     the rules for handles in concepts.h; shard numbers below shards().
// Cost         taking and giving back each lock the shard's mutex; O(1), but O(leases) for a taker
//              under kShare, and for one that has to wait under kRefuse.
//
// Invariants, all under the shard's mutex
//   I1  free[0, free_count) are the leases that nobody holds, each once.
//   I2  if a lease is free and somebody waits, then a wake-up is in flight to the first waiter, or
//       a grant is in flight to a thread that will look at the queue before it goes in. Under kFifo
//       no lease is free while somebody waits.
//   I3  unless kWait: holders[i] names the thread that has lease i, or kNoThread.
//   I4  under kRefuse: `stuck` is the number of leases whose holders wait without limit for another
//       lease of the shard; it is less than the number of leases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <system_error>

#include "primitives/concepts.h"
#include "primitives/futex_mutex.h"
#include "primitives/internal/timed.h"
#include "primitives/internal/wait_queue.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/thread.h"

namespace lockbench {

enum class LeaseOrder { kUnordered, kFifo };
enum class LeaseNesting { kRefuse, kShare, kWait };

// A shard at one moment.
struct LeaseCensus {
  std::uint32_t free = 0;     // leases that nobody holds
  std::uint32_t out = 0;      // leases that somebody holds
  std::uint32_t waiting = 0;  // takers that wait

  bool operator==(const LeaseCensus&) const = default;
};

template <LeaseOrder kOrder = LeaseOrder::kUnordered, LeaseNesting kNesting = LeaseNesting::kRefuse>
class BasicLeasePool {
 public:
  static constexpr Promises kPromises{
      .lock_per_key = true, .timed = true, .fair = kOrder == LeaseOrder::kFifo};
  static constexpr bool kSharesLeases = kNesting == LeaseNesting::kShare;
  static constexpr std::uint32_t kDefaultLeases = 10;

  class Handle;

  // `shards` and `leases` (per shard) are at least 1.
  explicit BasicLeasePool(std::size_t shards, std::uint32_t leases = kDefaultLeases)
      : count_(shards), leases_(leases), shards_(new Shard[shards]) {
    for (std::size_t i = 0; i < count_; ++i) shards_[i].fill(leases);
  }

  Handle handle(std::uint64_t shard) { return Handle(*this, shards_[shard]); }

  std::uint32_t capacity() const { return leases_; }
  std::size_t shards() const { return count_; }
  std::size_t lock_bytes() const {
    constexpr std::size_t kLease = sizeof(std::uint32_t) + (kNamesHolders ? sizeof(Holder) : 0);
    return sizeof *this + count_ * (sizeof(Shard) + leases_ * kLease);
  }

  // Leases of `shard` that nobody holds now.
  std::uint32_t available(std::uint64_t shard) const { return census(shard).free; }

  LeaseCensus census(std::uint64_t shard) const {
    Shard& counted = shards_[shard];
    std::scoped_lock guard(counted.mutex);
    return {.free = counted.free_count,
            .out = leases_ - counted.free_count,
            .waiting = counted.waiting};
  }

 private:
  static constexpr bool kNamesHolders = kNesting != LeaseNesting::kWait;

  struct Taker : internal::Waiter {
    std::uint32_t lease = 0;
    std::uint32_t blocks = 0;  // leases that stay out until it is served
    platform::ThreadToken thread = platform::kNoThread;
  };

  struct Holder {
    platform::ThreadToken thread = platform::kNoThread;
    std::uint32_t depth = 0;  // of its locks, under kShare
  };

  struct alignas(platform::kCacheLine) Shard {
    void fill(std::uint32_t leases) {
      free.reset(new std::uint32_t[leases]);
      if (kNamesHolders) holders.reset(new Holder[leases]);
      // Highest number first, so that lease 0 is on top.
      for (std::uint32_t i = 0; i < leases; ++i) free[i] = leases - 1 - i;
      free_count = leases;
    }

    // The lease that came back last is the warmest.
    bool pop(Taker& taker) {
      if (free_count == 0) return false;
      taker.lease = free[--free_count];
      if (kNamesHolders) holders[taker.lease] = {.thread = taker.thread, .depth = 1};
      return true;
    }

    void push(std::uint32_t lease) {
      if (kNamesHolders) holders[lease] = {};
      free[free_count++] = lease;
    }

    void enqueue(Taker& taker) {
      waiters.push_back(taker);
      ++waiting;
      stuck += taker.blocks;
    }

    void dequeue(Taker& taker) {
      waiters.remove(taker);
      --waiting;
      stuck -= taker.blocks;
    }

    FutexMutex mutex;
    std::uint32_t free_count = 0;
    std::unique_ptr<std::uint32_t[]> free;
    std::unique_ptr<Holder[]> holders;  // I3
    internal::WaitQueue waiters;
    std::uint32_t waiting = 0;
    std::uint32_t stuck = 0;  // I4
  };
  static_assert(sizeof(Shard) == platform::kCacheLine);

  // Under the shard's mutex.
  bool take_at_once(Shard& shard, Taker& taker) const {
    if (kNamesHolders) taker.thread = platform::this_thread();
    if (kSharesLeases && share(shard, taker)) return true;
    return shard.pop(taker);
  }

  // Goes in on the lease that the thread has.
  bool share(Shard& shard, Taker& taker) const {
    for (std::uint32_t lease = 0; lease < leases_; ++lease) {
      if (shard.holders[lease].thread != taker.thread) continue;
      ++shard.holders[lease].depth;
      taker.lease = lease;
      return true;
    }
    return false;
  }

  // A taker that will wait without limit keeps its leases from everybody (I4).
  void count_blocked(const Shard& shard, Taker& taker) const {
    taker.blocks = 0;
    for (std::uint32_t lease = 0; lease < leases_; ++lease) {
      if (shard.holders[lease].thread == taker.thread) ++taker.blocks;
    }
    if (taker.blocks + shard.stuck == leases_) throw_refused();
  }

  [[noreturn, gnu::noinline, gnu::cold]] static void throw_refused() {
    throw std::system_error(
        std::make_error_code(std::errc::resource_deadlock_would_occur),
        "LeasePool: all leases of the shard are out to threads that wait for another one; give "
        "yours back first, or use LeaseNesting::kShare");
  }

  bool acquire(Shard& shard, Taker& taker, platform::Time deadline) const {
    {
      std::scoped_lock guard(shard.mutex);
      if (take_at_once(shard, taker)) return true;
      if constexpr (kNesting == LeaseNesting::kRefuse) {
        taker.blocks = 0;
        if (deadline == platform::kForever) count_blocked(shard, taker);
      }
      shard.enqueue(taker);
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
          if (!granted) shard.dequeue(taker);
          // Several leases may have come back on one signal, be it a wake-up or a grant: the next
          // waiter is told (I2).
          if (shard.free_count != 0) wake_first(shard, wake);
          return true;
        }
        if (platform::now() >= deadline) {
          shard.dequeue(taker);
          return false;
        }
        // relaxed: as above.
        taker.signal.store(internal::Waiter::kSpinning, std::memory_order_relaxed);
      }
    }();
    wake.deliver();
    return taken;
  }

  bool try_acquire(Shard& shard, Taker& taker) const {
    std::scoped_lock guard(shard.mutex);
    return take_at_once(shard, taker);
  }

  static void release(Shard& shard, const Taker& taker) {
    internal::PendingWake wake;
    {
      std::scoped_lock guard(shard.mutex);
      if (kSharesLeases && --shard.holders[taker.lease].depth != 0) return;
      shard.push(taker.lease);
      if (!shard.waiters.empty()) [[unlikely]]
        wake_first(shard, wake);
    }
    wake.deliver();
  }

  // Tells the first waiter of a free lease, or hands the lease to it.
  [[gnu::noinline, gnu::cold]] static void wake_first(Shard& shard, internal::PendingWake& wake) {
    internal::Waiter* const first = shard.waiters.first();
    if (first == nullptr) return;
    if (kOrder == LeaseOrder::kUnordered && !internal::WaitQueue::impatient(*first)) {
      wake.signal(*first, internal::Waiter::kWoken);
      return;
    }
    auto& taker = static_cast<Taker&>(*first);
    shard.dequeue(taker);
    shard.pop(taker);
    wake.signal(taker, internal::Waiter::kGranted);
  }

  const std::size_t count_;
  const std::uint32_t leases_;
  const std::unique_ptr<Shard[]> shards_;
};

template <LeaseOrder kOrder, LeaseNesting kNesting>
class BasicLeasePool<kOrder, kNesting>::Handle : public internal::TimedMembers<Handle> {
 public:
  Handle(const BasicLeasePool& owner, Shard& shard) : owner_(owner), shard_(shard) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  // Takes a lease of the shard. Under kRefuse it throws std::system_error with the code
  // resource_deadlock_would_occur where waiting would never end; nothing is taken then.
  void lock() { owner_.acquire(shard_, taker_, platform::kForever); }
  bool try_lock() { return owner_.try_acquire(shard_, taker_); }
  bool lock_before(platform::Time deadline) { return owner_.acquire(shard_, taker_, deadline); }

  // Gives the lease back.
  void unlock() { release(shard_, taker_); }

  // The lease that was taken, below capacity(); meaningful while held.
  std::uint32_t lease() const { return taker_.lease; }

 private:
  const BasicLeasePool& owner_;
  Shard& shard_;
  Taker taker_;
};

using LeasePool = BasicLeasePool<>;

}  // namespace lockbench
