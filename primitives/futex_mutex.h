// SPDX-License-Identifier: Apache-2.0

// FutexMutex: a mutex of one word that spins briefly and then sleeps in the kernel.
//
// Guarantees   mutual exclusion between threads; timed acquisition; may be destroyed as soon as the
//              last unlock() has let another thread in.
// Not offered  FIFO order (a newcomer may overtake a sleeper), ownership checks, recursion,
//              priority inheritance.
// Requires     unlock() by the thread that holds it.
// fork()       not while a thread holds or waits for the lock, if the child uses it.
// Cost         two atomic read-modify-writes a pair without contention; no system call.
//
// Invariants
//   I1  state_ is kFree exactly when no thread holds the lock.
//   I2  if a thread sleeps on state_, then state_ is kHeldWaiters, or a wake is on its way to one
//       sleeper, which sets kHeldWaiters again when it enters.
// Source       "mutex2" of U. Drepper, "Futexes Are Tricky", 2011.
#pragma once

#include <cstdint>

#include "primitives/internal/misuse.h"
#include "primitives/internal/timed.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/futex.h"
#include "primitives/platform/spin.h"

namespace lockbench {

class LOCKBENCH_CAPABILITY FutexMutex : public internal::TimedMembers<FutexMutex> {
 public:
  FutexMutex() = default;
  FutexMutex(const FutexMutex&) = delete;
  FutexMutex& operator=(const FutexMutex&) = delete;
#if LOCKBENCH_CHECKS_USE
  ~FutexMutex() {
    internal::check_use([this] { return !held(); }, "FutexMutex: destroyed while it is held");
  }
#endif

  void lock() LOCKBENCH_ACQUIRES() {
    if (!try_lock()) [[unlikely]]
      lock_slow(platform::kForever);
  }

  bool try_lock() LOCKBENCH_TRIES(true) {
    std::uint32_t expected = kFree;
    // (1) acquire: synchronizes with (4), the release by the last holder.
    // relaxed on failure: nothing that was published is read.
    return state_.compare_exchange_strong(expected, kHeld, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }

  void unlock() LOCKBENCH_RELEASES() {
    internal::check_use([this] { return held(); }, "FutexMutex: unlock() of a free lock");
    // (4) release: publishes the critical section to (1), (2) and (3).
    if (state_.exchange(kFree, std::memory_order_release) == kHeldWaiters) [[unlikely]] {
      platform::futex_wake(state_, 1);
    }
  }

  // Locks, or returns false once `deadline` has passed.
  bool lock_before(platform::Time deadline) LOCKBENCH_TRIES(true) {
    return try_lock() || lock_slow(deadline);
  }

 private:
  enum State : std::uint32_t {
    // 0 free | 1 held | 2 held, and threads may sleep on the word
    kFree = 0,
    kHeld = 1,
    kHeldWaiters = 2,
  };

  // relaxed: called by the holder, or while no other thread uses it.
  bool held() const {
    return state_.load(std::memory_order_relaxed) != kFree;
  }

  // Looks at the word this often, with a pause between, before it sleeps: about 2 us, a fraction of
  // what falling asleep and waking costs (10 us and more).
  static constexpr int kSpins = platform::spins(80);

  [[gnu::noinline, gnu::cold]] bool lock_slow(platform::Time deadline) LOCKBENCH_TRIES(true) {
    for (int i = 0; i < kSpins; ++i) {
      // relaxed: a hint when to try; try_lock() decides.
      const std::uint32_t seen = state_.load(std::memory_order_relaxed);
      if (seen == kFree && try_lock()) return true;  // (2) as (1)
      if (seen == kHeldWaiters) break;               // others sleep already: do not spin past them
      platform::pause();
    }
    // (3) acquire: as (1). From here on the word is set to kHeldWaiters even when it was free: this
    // thread cannot know whether others still sleep (I2).
    while (state_.exchange(kHeldWaiters, std::memory_order_acquire) != kFree) {
      if (!platform::futex_wait(state_, kHeldWaiters, deadline)) return false;
    }
    return true;
  }

  platform::FutexWord state_{kFree};
};

}  // namespace lockbench
