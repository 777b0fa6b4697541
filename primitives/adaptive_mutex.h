// SPDX-License-Identifier: Apache-2.0

// AdaptiveMutex: a mutex of one word whose unlock() is a plain store as long as no thread sleeps.
//
// Releases have two modes, per bucket of the parking lot: in the fast mode a release is a store, in
// the slow mode a read-modify-write. A thread that is about to sleep pays for the fast mode: it
// sets the slow mode, and has the kernel put a barrier into every running thread. From then on
// releases see that it waits. After 2,000 releases in a row of one thread that met no waiter, the
// fast mode comes back. So a contended lock pays for the barrier once in a while and not for each
// wait. This is asymmetric Dekker synchronization.
//
// Guarantees   mutual exclusion between threads; timed acquisition; at most one woken thread is on
//              its way to the lock; other threads may overtake a waiter for about ten milliseconds,
//              and once it is the head of the queue, the lock is handed over to it as soon as
//              internal/handovers.h allows. May be destroyed as soon as the last unlock() has let
//              another thread in.
// Not offered  FIFO order, ownership checks, recursion, priority inheritance: do not use it between
//              threads of different real-time priorities.
// Requires     unlock() by the thread that holds it.
// fork()       not while a thread of the process holds or waits for any AdaptiveMutex that the
//              child uses: the child inherits the queues as they were.
// Cost         lock and unlock without contention: one atomic read-modify-write, a release store
//              and two loads. In slow mode, and on kernels without membarrier: two
//              read-modify-writes. Locks whose addresses fall into one bucket have one mode.
//
// Invariants
//   I1  kHeld is set exactly while a thread holds the lock, or while the lock is being handed over.
//   I2  a thread is in the queue only while the mode of its bucket is kSlow. Both change under the
//       bucket's mutex.
//   I3  while a thread that was not woken is in the queue, kParked is set, or a release that began
//       in fast mode has cleared it and has yet to read the mode again; it then looks at the queue.
//   I4  while kWaking is set, a thread is on its way: one that was woken, or one that spins and has
//       set the bit. It has yet to take the lock, or to clear the bit in the same step in which it
//       finds the lock held, or it was handed the lock.
//   docs/design/adaptive.md has the argument.
// Source       the asymmetry: D. Dice, H. Huang, M. Yang, "Asymmetric Dekker synchronization",
//              2001; the queue and the handover: see parking_lot.h. The combination is ours.
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

// The mode of releases, per bucket of the parking lot: one table for each kind of barriers.
template <class Barriers>
class [[gnu::visibility("default")]] Releases {
 public:
  enum Mode : std::uint8_t {
    // 0 slow, and no release has asked yet whether there are barriers | 1 fast: a store, and a
    // second look at the mode | 2 slow: a read-modify-write
    kUnknown = 0,
    kFast = 1,
    kSlow = 2,
  };

  static platform::Atomic<std::uint8_t>& mode(const void* address) {
    auto& table = platform::of_this_process<Releases>();
    return table.modes_[ParkingLot::bucket_of(address)];
  }

 private:
  // Side by side: they are read at each release and seldom written.
  std::array<platform::Atomic<std::uint8_t>, ParkingLot::kBuckets> modes_{};
};

}  // namespace internal

template <class Barriers = internal::KernelBarriers>
class [[gnu::visibility("default")]] LOCKBENCH_CAPABILITY BasicAdaptiveMutex
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

  void lock() LOCKBENCH_ACQUIRES() {
    if (!take()) [[unlikely]]
      lock_slow(platform::kForever);
  }

  bool try_lock() LOCKBENCH_TRIES(true) {
    return take();
  }

  // Locks, or returns false once `deadline` has passed.
  bool lock_before(platform::Time deadline) LOCKBENCH_TRIES(true) {
    return take() || lock_slow(deadline);
  }

  void unlock() LOCKBENCH_RELEASES() {
    internal::check_use([this] { return held(); }, "AdaptiveMutex: unlock() of a free lock");
    const platform::Atomic<std::uint8_t>& mode = Releases::mode(this);
    // relaxed, here and below: the barriers order it with the store between the two loads; a thread
    // that set kSlow saw that store, or is seen here.
    if (mode.load(std::memory_order_relaxed) != Releases::kFast) [[unlikely]] {
      unlock_slow();
      return;
    }
    // (2) release: publishes the critical section to (1). If this store clears a kParked that was
    // set since the first load, the second load reads kSlow, and wake_one() sets it again (I3).
    state_.store(kFree, std::memory_order_release);
    Barriers::light();
    // From here on the object may be gone; only its address is used.
    if (mode.load(std::memory_order_relaxed) != Releases::kFast) [[unlikely]] {
      wake_one();
    }
  }

 private:
  using Releases = internal::Releases<Barriers>;
  using ParkingLot = internal::ParkingLot;
  using Waiter = internal::Waiter;

  // The bits of state_. kHeld: a thread holds the lock. kParked: a thread in the queue was not
  // woken. kWaking: a woken or spinning thread is on its way; releases need not wake another.
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kParked = 2;
  static constexpr std::uint32_t kWaking = 4;

  // relaxed: called by the holder, or while no other thread uses it.
  bool held() const {
    return (state_.load(std::memory_order_relaxed) & kHeld) != 0;
  }

  bool take() {
    // (1) acquire: synchronizes with (2), (3) and (4), the releases by earlier holders.
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
    using internal::Handovers;
    using Position = ParkingLot::Position;
    using Wakening = ParkingLot::Wakening;
    bool on_the_way = false;
    platform::Time since{};
    if (spin(deadline, since, on_the_way)) return true;
    if (since == platform::Time{}) since = platform::now();
    Wakening wakening = park(since, deadline, Position::kLast, on_the_way);
    while (wakening == Wakening::kToldToLook) {
      on_the_way = true;
      platform::Time again{};
      if (spin(deadline, again, on_the_way)) return true;
      const auto look = [this] {
        // relaxed: a hint; the exchange decides.
        return (state_.load(std::memory_order_relaxed) & kHeld) == 0 && take_or_mark(0, kWaking);
      };
      if (Handovers::of_process().sleep_until_due(this, since, deadline, look)) return true;
      const platform::Time now = platform::now();
      if (now >= deadline) return take_or_mark(0, kWaking);
      const bool due = now - since > internal::WaitQueue::kPatienceAwake;
      if (due) Handovers::of_process().note_late(this);
      wakening = park(since, deadline, Position::kFirst, true,
                      due ? internal::Spun::kYesAndDue : internal::Spun::kYes);
    }
    return wakening != Wakening::kTimedOut;
  }

  // Returns whether the lock was released soon. `on_the_way`: kWaking is set for this thread, which
  // clears it if it takes the lock. A thread that finds others asleep sets it: while it spins,
  // releases need not wake them. `since`: see AdaptiveSpin.
  bool spin(platform::Time deadline, platform::Time & since, bool& on_the_way) {
    using internal::AdaptiveSpin;
    AdaptiveSpin& spin_state = AdaptiveSpin::of_thread();
    if (!spin_state.should_spin()) return false;
    const auto look = [this, &on_the_way] {
      // relaxed: a hint; the exchange decides.
      std::uint32_t seen = state_.load(std::memory_order_relaxed);
      if ((seen & kHeld) == 0) return on_the_way ? take_or_mark(0, kWaking) : take();
      if (has_sleeper_to_wake(seen) && !on_the_way &&
          !internal::Handovers::of_process().wake_due(this, platform::now())) {
        // relaxed: it publishes nothing; the next release decides on it (I4).
        on_the_way = state_.compare_exchange_strong(seen, seen | kWaking, std::memory_order_relaxed,
                                                    std::memory_order_relaxed);
      }
      return false;
    };
    return spin_state.note(spin_state.spin_until(look, deadline, since));
  }

  // Sleeps, or takes the lock if it is free. `on_the_way`: as in spin(); the lock is held.
  ParkingLot::Wakening park(platform::Time since, platform::Time deadline,
                            ParkingLot::Position position, bool on_the_way,
                            internal::Spun spun = internal::Spun::kYes) {
    const auto become_parked = [this, on_the_way] {
      platform::Atomic<std::uint8_t>& mode = Releases::mode(this);
      // relaxed: it changes under the bucket's mutex, which this thread holds, and the barrier
      // publishes it.
      if (const std::uint8_t before = mode.load(std::memory_order_relaxed);
          before != Releases::kSlow) {
        mode.store(Releases::kSlow, std::memory_order_relaxed);
        if (before == Releases::kFast) Barriers::heavy();
      }
      return !take_or_mark(kParked, on_the_way ? kWaking : 0);
    };
    const auto give_up = [this](bool others) {
      // relaxed: a thread that sets or needs the bit holds the bucket's mutex, or looks again under
      // it.
      if (!others) state_.fetch_and(~kParked, std::memory_order_relaxed);
    };
    return ParkingLot::of<BasicAdaptiveMutex>().park(this, since, deadline, position, become_parked,
                                                     give_up, spun);
  }

  [[gnu::noinline]] void unlock_slow() {
    // relaxed: a hint; what follows decides.
    const std::uint32_t seen = state_.load(std::memory_order_relaxed);
    if (has_sleeper_to_wake(seen) || ((seen & kWaking) != 0 && is_overdue())) {
      pass_on();
      return;
    }
    // (3) release: as (2).
    const std::uint32_t before = state_.fetch_and(~kHeld, std::memory_order_release);
    // From here on the object may be gone; only its address is used.
    if (has_sleeper_to_wake(before)) {
      wake_one();
    } else {
      count_release((before & (kParked | kWaking)) == 0);
    }
  }

  // True if the thread on its way to the lock should have come by now. Asked now and then.
  bool is_overdue() {
    return platform::of_this_thread<internal::UncontendedReleases>().now_and_then() &&
           internal::Handovers::of_process().wake_due(this, platform::now());
  }

  static bool has_sleeper_to_wake(std::uint32_t state) {
    return (state & (kParked | kWaking)) == kParked;
  }

  // By the holder: hands the lock over to the head of the queue, if that is due; else releases it
  // and wakes the head.
  [[gnu::noinline, gnu::cold]] void pass_on() {
    ParkingLot::of<BasicAdaptiveMutex>().unpark_one(
        this, [this](const Waiter* first, bool more) -> std::optional<Waiter::Signal> {
          if (first == nullptr) {                                             // its time was up
            state_.fetch_and(~(kHeld | kParked), std::memory_order_release);  // (4) release: as (2)
            return std::nullopt;
          }
          const platform::Time now = platform::now();
          internal::Handovers& handovers = internal::Handovers::of_process();
          const bool due = handovers.due(this, *first, now);
          const bool first_is_awake = is_woken(*first);
          // relaxed: the exchange decides.
          std::uint32_t seen = state_.load(std::memory_order_relaxed);
          for (;;) {
            // Another thread than the first one: a woken one that has left the queue, or one that
            // has not entered it.
            const bool other_on_the_way = (seen & kWaking) != 0 && !first_is_awake;
            const std::uint32_t waking = other_on_the_way || !due ? kWaking : 0;
            const std::uint32_t parked = more || (other_on_the_way && !due) ? kParked : 0;
            if (change(seen, (due ? kHeld : 0) | waking | parked)) {  // (4)
              if (due) return Waiter::kGranted;
              if (other_on_the_way) return std::nullopt;
              handovers.note_wake(this, *first, now);
              return Waiter::kWoken;
            }
          }
        });
  }

  // After a release. Another AdaptiveMutex may have this address by now. If threads are parked
  // there, wakes the first, unless a thread is on its way already.
  [[gnu::noinline, gnu::cold]] void wake_one() {
    ParkingLot::of<BasicAdaptiveMutex>().unpark_one(
        this, [this](const Waiter* first, bool more) -> std::optional<Waiter::Signal> {
          if (first == nullptr) return std::nullopt;
          // A thread is parked here, so the object exists. relaxed: the exchange decides.
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

  // Under the bucket's mutex.
  static bool is_woken(const Waiter& waiter) {
    // relaxed: signals are sent under the mutex.
    return waiter.signal.load(std::memory_order_relaxed) == Waiter::kWoken;
  }

  bool change(std::uint32_t & seen, std::uint32_t after) {
    // release: as (2), where it releases.
    return state_.compare_exchange_weak(seen, after, std::memory_order_release,
                                        std::memory_order_relaxed);
  }

  // After a release in slow mode; `quiet`: no thread was parked or on its way.
  void count_release(bool quiet) {
    const bool enough = platform::of_this_thread<internal::UncontendedReleases>().note(quiet);
    // relaxed: a hint.
    const bool asked = Releases::mode(this).load(std::memory_order_relaxed) != Releases::kUnknown;
    if (enough || !asked) switch_to_fast();
  }

  [[gnu::noinline, gnu::cold]] void switch_to_fast() {
    ParkingLot::of<BasicAdaptiveMutex>().if_empty(this, [this] {
      // relaxed: see unlock(). The next thread that parks holds the bucket's mutex after this one.
      Releases::mode(this).store(Barriers::available() ? Releases::kFast : Releases::kSlow,
                                 std::memory_order_relaxed);
    });
  }

  platform::FutexWord state_{kFree};
};

using AdaptiveMutex = BasicAdaptiveMutex<>;

}  // namespace lockbench
