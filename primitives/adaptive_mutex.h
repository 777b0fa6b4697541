// SPDX-License-Identifier: Apache-2.0

// AdaptiveMutex: a mutex of one word whose unlock is a plain store, as long as nobody waits asleep.
//
// A thread that is about to sleep pays for that: it turns the releases of all locks in its part of
// a table from calm to shared, and has the kernel put a barrier into every running thread. From
// then on releases are read-modify-writes that see it. After some thousand of them that concerned
// nobody asleep, they become calm again. So a lock that is fought over pays for the barrier once in
// a while and not once per wait.
//
// Guarantees   mutual exclusion between threads; timed acquisition; at most one woken thread on its
//              way; a waiter is passed over for about ten milliseconds, and once it is the first of
//              the queue, the lock is handed to it as soon as
//              internal/handovers.h allows. May be destroyed
//              as soon as the last unlock() has let somebody else in.
// Not offered  FIFO order, ownership checks, recursion, priority inheritance: do not use it between
//              threads of different real-time priorities. Use across fork() while any thread is
//              inside or waits: the child inherits the table as it was.
// Requires     unlock() by whoever holds it.
// Cost         one atomic read-modify-write, a release store and two loads a pair when nobody else
//              comes; a second read-modify-write in their place while releases are shared, and on
//              kernels without membarrier. Locks whose addresses fall into one of the table's
//              buckets are calm or shared together.
//
// Invariants
//   I1  kHeld is set exactly while somebody is inside, or is being handed the lock.
//   I2  a thread is in the queue only while releases of its bucket are kShared. Both change under
//       the bucket's mutex.
//   I3  while a thread is in the queue, kParked is set, or a release that was begun calm has wiped
//       it out and has yet to see that releases are shared; it then looks at the queue.
//   I4  while kWaking is set, a thread that was taken out of the queue has yet to take the lock, or
//       to clear the bit in the same step in which it finds the lock held.
//   docs/design/adaptive.md has the argument.
// Source       the asymmetry: D. Dice, H. Huang, M. Yang, "Asymmetric Dekker synchronization",
//              2001; the queue and the handoff: see parking_lot.h. Their combination is ours.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "primitives/internal/asymmetry.h"
#include "primitives/internal/handovers.h"
#include "primitives/internal/misuse.h"
#include "primitives/internal/parking_lot.h"
#include "primitives/internal/timed.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/spin.h"
#include "primitives/platform/thread.h"

namespace lockbench {

namespace internal {

// How releases are done, per bucket of the parking lot: one table for each kind of barriers.
template <class Barriers>
class [[gnu::visibility("default")]] Releases {
 public:
  enum Manner : std::uint8_t {
    // 0 shared; nobody has asked yet whether they may be calm | 1 calm: a store, and a look | 2 a
    // read-modify-write
    kNew = 0,
    kCalm = 1,
    kShared = 2,
  };

  static platform::Atomic<std::uint8_t>& manner(const void* address) {
    auto& table = platform::of_this_process<Releases>();
    return table.manners_[ParkingLot::bucket_of(address)];
  }

 private:
  // Side by side: they are read at each release and seldom written.
  std::array<platform::Atomic<std::uint8_t>, ParkingLot::kBuckets> manners_{};
};

}  // namespace internal

template <class Barriers = internal::KernelBarriers>
class [[gnu::visibility("default")]] BasicAdaptiveMutex
    : public internal::TimedMembers<BasicAdaptiveMutex<Barriers>> {
 public:
  BasicAdaptiveMutex() = default;
  BasicAdaptiveMutex(const BasicAdaptiveMutex&) = delete;
  BasicAdaptiveMutex& operator=(const BasicAdaptiveMutex&) = delete;
#if LOCKBENCH_CHECKS_USE
  ~BasicAdaptiveMutex() {
    internal::check_use([this] { return !held(); }, "AdaptiveMutex: destroyed while it is held");
  }
#endif

  void lock() {
    if (!take()) [[unlikely]]
      lock_slow(platform::kForever);
  }

  bool try_lock() {
    return take();
  }

  // Locks, or returns false once `deadline` has passed.
  bool lock_before(platform::Time deadline) {
    return take() || lock_slow(deadline);
  }

  void unlock() {
    internal::check_use([this] { return held(); }, "AdaptiveMutex: unlock() while nobody holds it");
    const platform::Atomic<std::uint8_t>& manner = Releases::manner(this);
    // relaxed, here and below: the barriers order it with the store between; a thread that turned
    // it to kShared saw that store, or is seen here.
    if (manner.load(std::memory_order_relaxed) != Releases::kCalm) [[unlikely]] {
      unlock_shared();
      return;
    }
    // (2) release: publishes the critical section to (1). Others set kParked only where releases
    // are shared; what of it this store wipes out is made good below (I3).
    state_.store(kFree, std::memory_order_release);
    Barriers::light();
    // From here on the object may be gone; only its address is used.
    if (manner.load(std::memory_order_relaxed) != Releases::kCalm) [[unlikely]] {
      wake_one();
    }
  }

 private:
  using Releases = internal::Releases<Barriers>;
  using ParkingLot = internal::ParkingLot;
  using Waiter = internal::Waiter;

  // The bits of state_. kHeld: somebody is inside. kParked: the queue is not empty. kWaking:
  // somebody was taken out of it and is on the way; releases need not wake another.
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kParked = 2;
  static constexpr std::uint32_t kWaking = 4;

  static constexpr int kSpins = platform::spins(40);

  // relaxed: asked by a thread that holds it, or that nobody else uses it with.
  bool held() const {
    return (state_.load(std::memory_order_relaxed) & kHeld) != 0;
  }

  bool take() {
    // (1) acquire: synchronizes with (2), (3) and (4), the releases by whoever was inside before.
    return (state_.fetch_or(kHeld, std::memory_order_acquire) & kHeld) == 0;
  }

  // Clears `clear`, and either takes the lock, if it is free, or else sets `set`: in one step.
  bool take_or_mark(std::uint32_t set, std::uint32_t clear) {
    // relaxed: the exchange decides.
    std::uint32_t seen = state_.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint32_t mark = (seen & kHeld) == 0 ? kHeld : set;
      // acquire: as (1).
      if (state_.compare_exchange_weak(seen, (seen & ~clear) | mark, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
        return (seen & kHeld) == 0;
      }
    }
  }

  [[gnu::noinline, gnu::cold]] bool lock_slow(platform::Time deadline) {
    using Wakening = ParkingLot::Wakening;
    if (spin()) return true;
    const platform::Time since = platform::now();
    Wakening wakening = park(since, deadline, false);
    while (wakening == Wakening::kToldToLook) {
      if (spin()) {
        // relaxed: it publishes nothing; the next release decides on it (I4).
        state_.fetch_and(~kWaking, std::memory_order_relaxed);
        return true;
      }
      if (platform::now() >= deadline) return take_or_mark(0, kWaking);
      wakening = park(since, deadline, true);
    }
    return wakening != Wakening::kTimedOut;
  }

  // Whether the lock came free soon. Looks ever less often: a look takes the line from the holder.
  bool spin() {
    internal::SpinLuck& luck = internal::SpinLuck::of_thread();
    if (!luck.worth_a_try()) return false;
    int pauses = 1;
    for (int i = 0; i < kSpins; i += pauses) {
      // relaxed: a hint when to try; take() decides.
      if ((state_.load(std::memory_order_relaxed) & kHeld) == 0 && take()) {
        luck.note(true);
        return true;
      }
      for (int j = 0; j < pauses; ++j) platform::pause();
      if (pauses < kMostPauses) pauses *= 2;
    }
    return false;
  }
  static constexpr int kMostPauses = 8;

  // Sleeps, unless the lock is free: then it takes it. `woken`: was taken out of the queue and told
  // to look, and comes back to its place.
  ParkingLot::Wakening park(platform::Time since, platform::Time deadline, bool woken) {
    const auto become_parked = [this, woken] {
      platform::Atomic<std::uint8_t>& manner = Releases::manner(this);
      // relaxed: it changes under the bucket's mutex, which this thread holds, and the barrier
      // tells all others.
      if (const std::uint8_t before = manner.load(std::memory_order_relaxed);
          before != Releases::kShared) {
        manner.store(Releases::kShared, std::memory_order_relaxed);
        if (before == Releases::kCalm) Barriers::heavy();
      }
      return !take_or_mark(kParked, woken ? kWaking : 0);
    };
    const auto give_up = [this](bool others) {
      // relaxed: whoever sets or needs the bit holds the bucket's mutex, or looks again under it.
      if (!others) state_.fetch_and(~kParked, std::memory_order_relaxed);
    };
    return ParkingLot::of<BasicAdaptiveMutex>().park(
        this, since, deadline, woken ? ParkingLot::Place::kFirst : ParkingLot::Place::kLast,
        become_parked, give_up);
  }

  [[gnu::noinline]] void unlock_shared() {
    // relaxed: a hint; both ways out decide for themselves.
    if (somebody_to_wake(state_.load(std::memory_order_relaxed))) {
      pass_on();
      return;
    }
    // (3) release: as (2).
    const std::uint32_t before = state_.fetch_and(~kHeld, std::memory_order_release);
    // From here on the object may be gone; only its address is used.
    if (somebody_to_wake(before)) {
      wake_one();
    } else {
      count_quiet((before & (kParked | kWaking)) == 0);
    }
  }

  static bool somebody_to_wake(std::uint32_t state) {
    return (state & (kParked | kWaking)) == kParked;
  }

  // By the holder: hands the lock to the first of the queue, if that is due, else releases it and
  // tells the first to look.
  [[gnu::noinline, gnu::cold]] void pass_on() {
    ParkingLot::of<BasicAdaptiveMutex>().unpark_one(
        this, [this](const Waiter* first, bool more) -> std::optional<Waiter::Signal> {
          if (first == nullptr) {                                             // it gave up
            state_.fetch_and(~(kHeld | kParked), std::memory_order_release);  // (4) release: as (2)
            return std::nullopt;
          }
          const bool due = internal::Handovers::of_process().due(this, *first, platform::now());
          const std::uint32_t parked = more ? kParked : 0;
          // relaxed: the exchange decides.
          std::uint32_t seen = state_.load(std::memory_order_relaxed);
          for (;;) {
            const bool on_the_way = (seen & kWaking) != 0;
            const std::uint32_t after = on_the_way ? kParked | kWaking
                                        : due      ? kHeld | parked
                                                   : kWaking | parked;
            if (change(seen, after)) {  // (4)
              if (on_the_way) return std::nullopt;
              return due ? Waiter::kGranted : Waiter::kWoken;
            }
          }
        });
  }

  // After a release, of whatever lock has this address now: if threads are parked there, tells the
  // first to look, unless another is on the way.
  [[gnu::noinline, gnu::cold]] void wake_one() {
    ParkingLot::of<BasicAdaptiveMutex>().unpark_one(
        this, [this](const Waiter* first, bool more) -> std::optional<Waiter::Signal> {
          if (first == nullptr) return std::nullopt;
          // Somebody is parked here, so the object is alive. relaxed: the exchange decides.
          std::uint32_t seen = state_.load(std::memory_order_relaxed);
          for (;;) {
            const bool on_the_way = (seen & kWaking) != 0;
            const std::uint32_t parked = on_the_way || more ? kParked : 0;
            if (change(seen, (seen & kHeld) | kWaking | parked)) {
              if (on_the_way) return std::nullopt;
              return Waiter::kWoken;
            }
          }
        });
  }

  bool change(std::uint32_t & seen, std::uint32_t after) {
    // release: as (2), where it releases.
    return state_.compare_exchange_weak(seen, after, std::memory_order_release,
                                        std::memory_order_relaxed);
  }

  // After a release that was shared; `quiet`: nobody slept or was on the way.
  void count_quiet(bool quiet) {
    const bool enough = platform::of_this_thread<internal::QuietReleases>().enough_with(quiet);
    // relaxed: a hint.
    const bool asked = Releases::manner(this).load(std::memory_order_relaxed) != Releases::kNew;
    if (enough || !asked) calm_down();
  }

  [[gnu::noinline, gnu::cold]] void calm_down() {
    ParkingLot::of<BasicAdaptiveMutex>().if_empty(this, [this] {
      // relaxed: see unlock(). Who parks next holds the bucket's mutex after this thread.
      Releases::manner(this).store(Barriers::available() ? Releases::kCalm : Releases::kShared,
                                   std::memory_order_relaxed);
    });
  }

  platform::FutexWord state_{kFree};
};

using AdaptiveMutex = BasicAdaptiveMutex<>;

}  // namespace lockbench
