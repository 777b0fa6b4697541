// SPDX-License-Identifier: Apache-2.0

// Handovers: when a lock is handed to a waiter that was passed over for long, rather than released
// to the first comer.
//
// A lock that is handed over is idle until its successor runs: some 20 us where a processor is
// free, and milliseconds where more threads want to run than there are processors. So each handover
// is timed, and the next one of the same lock comes only after kRest times as long: fairness takes
// at most a twentieth of a lock's time, or what one handover in kLongestRest takes, if that is
// more. A single handover that took long, because its successor was interrupted, does not count:
// the shorter one of the last two does.
//
// A thread that spins for a lock is sooner there than a sleeper that is woken. So a release wakes
// none while a thread spins, for kBetweenWakes at most. A woken thread that does not run within
// that time, because other threads have its processor, is handed the lock: then those that spin for
// the lock yield, and it runs.
//
// Guarantees   a waiter is due once it has waited for WaitQueue::kPatience, or kPatienceAwake as
//              long as it is awake or was woken, and the rest after the last handover is over.
// Not offered  a record for each lock: those whose addresses fall into one slot rest together.
// Cost         a clock reading and a load, where threads wait anyway.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "primitives/internal/wait_queue.h"
#include "primitives/key.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/thread.h"

namespace lockbench::internal {

class [[gnu::visibility("default")]] Handovers {
 public:
  static constexpr int kRest = 20;
  // So that the wake-ups of handovers, some microseconds of processor time each, stay a small part.
  static constexpr platform::Duration kShortestRest = std::chrono::microseconds(100);
  static constexpr platform::Duration kLongestRest = std::chrono::milliseconds(100);
  static constexpr platform::Duration kBetweenWakes = std::chrono::microseconds(150);
  // If the threads that hold the lock request it no longer, it is free for so long at most; with
  // the timer's slack, for twice as long.
  static constexpr platform::Duration kBetweenLooks = std::chrono::microseconds(50);
  static constexpr platform::Duration kLongestSleep = std::chrono::milliseconds(1);

  static Handovers& of_process() {
    return platform::of_this_process<Handovers>();
  }

  // True if a release should hand `lock` over to this waiter. The caller may signal the waiter.
  bool due(const void* lock, const Waiter& waiter, platform::Time now) {
    // relaxed, here and below: a hint; whatever is read, each way to release is right.
    const std::uint32_t signal = waiter.signal.load(std::memory_order_relaxed);
    const bool awake = signal != Waiter::kParked;
    return now - waiter.since > (awake ? WaitQueue::kPatienceAwake : WaitQueue::kPatience) &&
           (signal != Waiter::kWoken || wake_due(lock, now)) &&
           now.time_since_epoch() >=
               platform::Duration(times_of(lock).rest_until.load(std::memory_order_relaxed));
  }

  // For a waiter since `since` that was woken and came too late: threads request the lock again at
  // once. The next wake-up would come too late as well, so the waiter does not return to the queue
  // before the next release hands the lock over to it. Until then it sleeps, and while it does,
  // releases need not wake anybody. Calls look() now and then, until that returns true, which this
  // returns, or until `deadline`.
  template <class Look>
  bool sleep_until_due(const void* lock, platform::Time since, platform::Time deadline,
                       const Look& look) {
    const platform::Time start = platform::now();
    for (platform::Time now = start; now - start < kLongestSleep; now = platform::now()) {
      const platform::Time rest_until(
          platform::Duration(times_of(lock).rest_until.load(std::memory_order_relaxed)));
      const platform::Time until =
          std::min(deadline, std::max(since + WaitQueue::kPatienceAwake, rest_until));
      if (now >= until) return false;
      const platform::FutexWord nobody_wakes_it{0};
      platform::futex_wait(nobody_wakes_it, 0, std::min(until, now + kBetweenLooks));
      if (look()) return true;
    }
    return false;
  }

  // The successor runs. `granted` is when the lock was handed over to it.
  void taken(const void* lock, platform::Time granted, platform::Time now) {
    Times& times = times_of(lock);
    const platform::Duration took = now - granted;
    const platform::Duration before(times.took.load(std::memory_order_relaxed));
    times.took.store(took.count(), std::memory_order_relaxed);
    const platform::Duration rest =
        std::clamp<platform::Duration>(kRest * std::min(took, before), kShortestRest, kLongestRest);
    times.rest_until.store((now + rest).time_since_epoch().count(), std::memory_order_relaxed);
  }

  // True if releases have left the sleepers of `lock` alone for long enough.
  bool wake_due(const void* lock, platform::Time now) {
    return now.time_since_epoch() >=
           platform::Duration(times_of(lock).wake_after.load(std::memory_order_relaxed));
  }

  // The waiter is about to be woken, unless it was before.
  void note_wake(const void* lock, const Waiter& waiter, platform::Time now) {
    if (waiter.signal.load(std::memory_order_relaxed) == Waiter::kWoken) return;
    times_of(lock).wake_after.store((now + kBetweenWakes).time_since_epoch().count(),
                                    std::memory_order_relaxed);
  }

  // A woken waiter came too late, and waits again: the next release serves it.
  void note_late(const void* lock) {
    times_of(lock).wake_after.store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t kSlots = platform::table_size(64);

  struct alignas(platform::kCacheLine) Times {
    platform::Atomic<platform::Duration::rep> took{0};
    platform::Atomic<platform::Duration::rep> rest_until{0};
    platform::Atomic<platform::Duration::rep> wake_after{0};
  };

  Times& times_of(const void* lock) {
    const std::uint64_t bits = reinterpret_cast<std::uintptr_t>(lock);
    return slots_[index_below(kSlots, bits * kOddB)];
  }

  std::array<Times, kSlots> slots_{};
};

}  // namespace lockbench::internal
