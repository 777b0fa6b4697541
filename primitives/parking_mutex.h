// SPDX-License-Identifier: Apache-2.0

// ParkingMutex: a mutex of one byte, whose waiters queue elsewhere.
//
// A lock without waiters needs no memory for a queue. So the queues of all locks of this type
// are in one table of the process, found by the lock's address; the lock keeps a bit that says
// whether its queue is empty. Programs with millions of locks pay a byte for each.
//
// Guarantees   mutual exclusion between threads; timed acquisition; other threads may overtake a
//              waiter for about ten milliseconds, and once it is the head of the queue, the lock is
//              handed over to it, as soon as internal/handovers.h allows; may be destroyed as soon
//              as the last unlock() has let another thread in.
// Not offered  FIFO order, ownership checks, recursion.
// Requires     unlock() by the thread that holds it.
// fork()       not while a thread of the process holds or waits for any ParkingMutex that the child
//              uses: the child inherits the queues as they were.
// Cost         two atomic read-modify-writes a pair without contention. Locks whose addresses
//              fall into one of the table's 256 buckets share that bucket's mutex while they park.
//
// Invariants
//   I1  a thread is queued under a lock's address only while the byte is kHeld | kParked, or a
//       wake-up from that queue is in flight. It queues under the bucket's mutex, after it has seen
//       the byte be so.
//   I2  a thread that clears kParked or kHeld of a byte that has both holds the bucket's mutex, and
//       keeps kParked as long as the queue is not empty.
// Source       the descriptions of WTF::ParkingLot (F. Pizlo, "Locking in WebKit", 2016) and of
//              PyMutex (S. Gross, PEP 703, 2023); the time after which a waiter is served is the
//              latter's.
#pragma once

#include <cstdint>

#include "primitives/internal/handovers.h"
#include "primitives/internal/misuse.h"
#include "primitives/internal/parking_lot.h"
#include "primitives/internal/timed.h"
#include "primitives/internal/wait_queue.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/spin.h"

namespace lockbench {

class [[gnu::visibility("default")]] LOCKBENCH_CAPABILITY ParkingMutex
    : public internal::TimedMembers<ParkingMutex> {
 public:
  ParkingMutex() = default;
  ParkingMutex(const ParkingMutex&) = delete;
  ParkingMutex& operator=(const ParkingMutex&) = delete;
#if LOCKBENCH_CHECKS_USE
  ~ParkingMutex() {
    internal::check_use([this] { return !held(); }, "ParkingMutex: destroyed while it is held");
  }
#endif

  void lock() LOCKBENCH_ACQUIRES() {
    if (!take_unwaited()) [[unlikely]]
      lock_slow(platform::kForever);
  }

  bool try_lock() LOCKBENCH_TRIES(true) {
    // relaxed: a hint; take() decides.
    std::uint8_t seen = state_.load(std::memory_order_relaxed);
    while ((seen & kHeld) == 0) {
      if (take(seen)) return true;
    }
    return false;
  }

  bool lock_before(platform::Time deadline) LOCKBENCH_TRIES(true) {
    return take_unwaited() || lock_slow(deadline);
  }

  void unlock() LOCKBENCH_RELEASES() {
    internal::check_use([this] { return held(); }, "ParkingMutex: unlock() of a free lock");
    std::uint8_t expected = kHeld;
    // (2) release: publishes the critical section to (1). relaxed on failure: unlock_slow() is
    // ordered by the bucket's mutex.
    if (!state_.compare_exchange_strong(expected, 0, std::memory_order_release,
                                        std::memory_order_relaxed)) [[unlikely]] {
      unlock_slow();
    }
  }

 private:
  enum State : std::uint8_t {
    // 0 free | 1 held | 2 free, threads parked or about to look | 3 held, threads parked
    kHeld = 1,
    kParked = 2,
  };

  static constexpr int kSpins = platform::spins(80);  // about 2 us; see FutexMutex

  // relaxed: called by the holder, or while no other thread uses it.
  bool held() const {
    return (state_.load(std::memory_order_relaxed) & kHeld) != 0;
  }

  bool take_unwaited() {
    std::uint8_t expected = 0;
    // (1) acquire: synchronizes with (2) and (3). relaxed on failure: nothing is read on it.
    return state_.compare_exchange_strong(expected, kHeld, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }

  // Takes the lock from a state that is not held; on failure, `seen` is the state.
  bool take(std::uint8_t & seen) {
    const auto held = static_cast<std::uint8_t>(seen | kHeld);
    return state_.compare_exchange_weak(seen, held, std::memory_order_acquire,
                                        std::memory_order_relaxed);  // (1)
  }

  [[gnu::noinline, gnu::cold]] bool lock_slow(platform::Time deadline) {
    if (spin()) return true;
    const platform::Time since = platform::now();
    for (;;) {
      // relaxed: a hint; what follows decides.
      std::uint8_t seen = state_.load(std::memory_order_relaxed);
      if ((seen & kHeld) == 0) {
        if (take(seen)) return true;
        continue;
      }
      // relaxed: it publishes nothing; park() looks again under the bucket's mutex.
      if (seen == kHeld &&
          !state_.compare_exchange_weak(seen, kHeld | kParked, std::memory_order_relaxed)) {
        continue;
      }
      using Wakening = internal::ParkingLot::Wakening;
      using Position = internal::ParkingLot::Position;
      const Wakening wakening = internal::ParkingLot::of<ParkingMutex>().park(
          this, since, deadline, Position::kLast, [this] {
            // relaxed: a thread that changes this state holds the bucket's mutex (I2), as this
            // thread does.
            return state_.load(std::memory_order_relaxed) == (kHeld | kParked);
          });
      if (wakening == Wakening::kGranted) return true;
      if (wakening == Wakening::kTimedOut) return false;
    }
  }

  // Returns whether the lock came free soon.
  bool spin() {
    for (int i = 0; i < kSpins; ++i) {
      std::uint8_t seen = state_.load(std::memory_order_relaxed);  // relaxed: take() acquires
      if ((seen & kHeld) == 0 && take(seen)) return true;
      if ((seen & kParked) != 0) return false;  // others sleep already: do not spin past them
      platform::pause();
    }
    return false;
  }

  [[gnu::noinline, gnu::cold]] void unlock_slow() {
    using internal::Waiter;
    internal::ParkingLot::of<ParkingMutex>().unpark_one(
        this, [this](const Waiter* first, bool more) {
          const std::uint8_t parked = more ? kParked : 0;
          if (first != nullptr &&
              internal::Handovers::of_process().due(this, *first, platform::now())) {
            // Handed over: it stays held. relaxed: the signal publishes the critical section.
            state_.store(static_cast<std::uint8_t>(kHeld | parked), std::memory_order_relaxed);
            return Waiter::kGranted;
          }
          state_.store(parked, std::memory_order_release);  // (3) release: as (2).
          return Waiter::kWoken;
        });
  }

  platform::Atomic<std::uint8_t> state_{0};
};
static_assert(sizeof(ParkingMutex) == 1);

}  // namespace lockbench
