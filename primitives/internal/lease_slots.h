// SPDX-License-Identifier: Apache-2.0

// LeaseSlots: which thread has which lease of a shard. It knows nothing of waiters.
//
// A thread begins its search at the lease that it had last, of any pool, and threads begin at
// different leases: with as many leases as threads each soon uses only its own slot, a cache line
// that no other thread writes.
//
// Guarantees   a lease has one thread at a time; what was done with it is published to the next.
// Requires     threads named by their platform::this_thread(), and only leases given back or handed
//              over that the caller has; make() before anything else.
// Cost         one compare-and-swap for the lease that the thread had last, if it is free; a look
//              at up to all slots otherwise, and in share() and count_of().
//
// Invariants
//   I1  a slot names the thread that has its lease, or kNoThread. It goes from kNoThread to a
//       thread by one exchange, and from a thread to another or to kNoThread by the hand of the
//       one named.
#pragma once

#include <cstdint>
#include <memory>

#include "primitives/platform/atomic.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/thread.h"

namespace lockbench::internal {

// The lease that a thread had last.
struct [[gnu::visibility("default")]] LastLease {
  struct Begun {
    platform::Atomic<std::uint32_t> threads{0};
  };

  // relaxed: a number that nothing else depends on.
  std::uint32_t number =
      platform::of_this_process<Begun>().threads.fetch_add(1, std::memory_order_relaxed);
};

// `kSharing`: a thread may go in several times on one lease, and each time is counted.
template <bool kSharing>
class LeaseSlots {
 public:
  // `count`: at least 1.
  void make(std::uint32_t count) {
    count_ = count;
    slots_.reset(new Slot[count]);
  }

  // For the calling thread: the lease that it had last, or else the next one that is free.
  bool take(platform::ThreadToken self, std::uint32_t& lease) {
    std::uint32_t& last = platform::of_this_thread<LastLease>().number;
    if (last >= count_) [[unlikely]]
      last %= count_;
    if (!take_from(last, self)) return take_after(last, self, lease);
    lease = last;
    return true;
  }

  // For a thread that sleeps: any lease that is free.
  bool take_for(platform::ThreadToken sleeper, std::uint32_t& lease) {
    lease = 0;
    std::uint32_t from = 0;  // where it was last is not known here
    return take_from(0, sleeper) || take_after(from, sleeper, lease);
  }

  // Locks the lease that the thread has once more.
  bool share(platform::ThreadToken self, std::uint32_t& lease) {
    for (std::uint32_t i = 0; i < count_; ++i) {
      // relaxed: only this thread stores its own token.
      if (slots_[i].holder.load(std::memory_order_relaxed) != self) continue;
      ++slots_[i].depth;
      lease = i;
      return true;
    }
    return false;
  }

  // True if this is the last unlock() of the thread that has the lease.
  bool leaves(std::uint32_t lease) { return !kSharing || --slots_[lease].depth == 0; }

  // (2) release: publishes what was done with the lease to (1).
  void free(std::uint32_t lease) {
    slots_[lease].holder.store(platform::kNoThread, std::memory_order_release);
  }

  // To a thread that sleeps; whatever wakes it publishes what was done with the lease.
  void hand_over(std::uint32_t lease, platform::ThreadToken successor) {
    slots_[lease].holder.store(successor, std::memory_order_relaxed);  // relaxed: as said above
    if (kSharing) slots_[lease].depth = 1;
  }

  // The number of leases of a thread; for kNoThread, the number of free leases.
  std::uint32_t count_of(platform::ThreadToken thread) const {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < count_; ++i) {
      // relaxed: exact for the own leases of a thread; a hint for the leases of others.
      count += slots_[i].holder.load(std::memory_order_relaxed) == thread;
    }
    return count;
  }

  static constexpr std::size_t bytes(std::uint32_t count) { return count * sizeof(Slot); }

 private:
  struct alignas(platform::kCacheLine) Slot {
    platform::Atomic<platform::ThreadToken> holder{platform::kNoThread};  // I1
    std::uint32_t depth = 0;                                              // the holder's own
  };

  bool take_from(std::uint32_t lease, platform::ThreadToken thread) {
    platform::ThreadToken nobody = platform::kNoThread;
    // (1) acquire: synchronizes with (2), by the last holder.
    // relaxed on failure: nothing that was published is read.
    if (!slots_[lease].holder.compare_exchange_strong(nobody, thread, std::memory_order_acquire,
                                                      std::memory_order_relaxed)) {
      return false;
    }
    if (kSharing) slots_[lease].depth = 1;
    return true;
  }

  // Any but `last`, which becomes the one that was taken.
  bool take_after(std::uint32_t& last, platform::ThreadToken thread, std::uint32_t& lease) {
    for (std::uint32_t next = last + 1;; ++next) {
      if (next >= count_) next = 0;
      if (next == last) return false;
      // relaxed: a hint which to try; the exchange decides.
      if (slots_[next].holder.load(std::memory_order_relaxed) == platform::kNoThread &&
          take_from(next, thread)) {
        lease = last = next;
        return true;
      }
    }
  }

  std::uint32_t count_ = 0;
  std::unique_ptr<Slot[]> slots_;
};

}  // namespace lockbench::internal
