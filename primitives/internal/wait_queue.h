// SPDX-License-Identifier: Apache-2.0

// WaitQueue: threads that wait for a resource whose state is under a small mutex (here: "the
// guard"), each asleep on a word of its own, in the order in which they came.
//
// The holder that releases the resource wakes the first waiter but does not reserve the resource
// for it: a running thread may take it first (barging), which keeps the processors busy. A waiter
// that has been overtaken for longer than kPatience is starving: the resource is handed over to it.
//
// Invariants, all under the guard unless said otherwise
//   I1  a Waiter is in the queue from push_back() until remove(); it keeps its position while it is
//       woken and overtaken by a barging thread.
//   I2  signal goes kSpinning -> kParked by the waiter alone, and anything -> kWoken or kGranted by
//       the waker alone; kGranted is final, and its waiter is no longer in the queue.
//   I3  while the first waiter for a resource is kWoken, its wake-up is in flight: no second
//       waiter is woken for the same unit of the resource.
//   I4  a waker touches a Waiter only under the guard, and after that uses its address alone.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "primitives/internal/adaptive_spin.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/futex.h"
#include "primitives/platform/spin.h"

namespace lockbench::internal {

struct Waiter {
  enum Signal : std::uint32_t {
    // 0 waits and spins | 1 waits asleep | 2 signalled to retry | 3 the resource was handed over
    kSpinning = 0,
    kParked = 1,
    kWoken = 2,
    kGranted = 3,
  };

  platform::Time since;        // when the wait began; once granted, when that was
  Waiter* previous;            // of the first, the last
  Waiter* next;                // of the last, null
  platform::FutexWord signal;  // last: derived types use the padding behind it
};

class WaitQueue {
 public:
  // How long a waiter may be passed over before the resource is handed to it. A handoff leaves the
  // resource idle until the successor runs: 10-50 us where a processor is free, and milliseconds
  // where more threads want to run than there are processors; others fall asleep meanwhile, and
  // have to be handed it in turn. With 64 threads on two processors a millisecond's patience costs
  // more than half of the throughput over 64 keys, this one a few per cent.
  static constexpr platform::Duration kPatience = std::chrono::milliseconds(10);
  // The same for a waiter that is awake: a handover to it costs almost nothing.
  static constexpr platform::Duration kPatienceAwake = std::chrono::microseconds(200);

  bool empty() const { return first_ == nullptr; }
  Waiter* first() const { return first_; }

  // `since`: when its wait began; now, if it is not given.
  void push_back(Waiter& waiter, platform::Time since = {}) {
    // relaxed: the guard orders this before any waker's access.
    waiter.signal.store(Waiter::kSpinning, std::memory_order_relaxed);
    waiter.since = since != platform::Time{} ? since : platform::now();
    waiter.next = nullptr;
    if (first_ != nullptr) first_->previous->next = &waiter;
    put_before_first(waiter);
    if (first_ == nullptr) first_ = &waiter;
  }

  // For a waiter that was woken, removed, and overtaken: it returns to the head. `since` stays when
  // its wait began.
  void push_front(Waiter& waiter) {
    waiter.signal.store(Waiter::kSpinning, std::memory_order_relaxed);  // relaxed: under the guard
    put_first(waiter);
  }

  // For a waiter in the queue, whose signal stays as it is.
  void move_to_front(Waiter& waiter) {
    remove(waiter);
    put_first(waiter);
  }

  void remove(Waiter& waiter) {
    if (waiter.next != nullptr) {
      waiter.next->previous = waiter.previous;
    } else {
      first_->previous = waiter.previous;
    }
    if (first_ == &waiter) {
      first_ = waiter.next;
    } else {
      waiter.previous->next = waiter.next;
    }
  }

  static bool starving(const Waiter& waiter) { return platform::now() - waiter.since > kPatience; }

 private:
  void put_first(Waiter& waiter) {
    waiter.next = first_;
    put_before_first(waiter);
    first_ = &waiter;
  }

  void put_before_first(Waiter& waiter) {
    waiter.previous = first_ == nullptr ? &waiter : first_->previous;
    if (first_ != nullptr) first_->previous = &waiter;
  }

  Waiter* first_ = nullptr;
};

// A wake-up decided under the guard and delivered after it was released, so that the woken thread
// does not run into the guard at once.
class PendingWake {
 public:
  // Under the guard. Does nothing when the waiter has been signalled already (I3).
  void signal(Waiter& waiter, Waiter::Signal signal) {
    // relaxed: only wakers store kWoken, and they hold the guard, as this thread does.
    if (waiter.signal.load(std::memory_order_relaxed) == Waiter::kWoken &&
        signal == Waiter::kWoken) {
      return;
    }
    if (signal == Waiter::kGranted) waiter.since = platform::now();
    // (1) release: publishes what was granted to (2). The read part shows whether it sleeps.
    const std::uint32_t before = waiter.signal.exchange(signal, std::memory_order_release);
    if (before == Waiter::kParked) word_ = &waiter.signal;
  }

  // After the guard. The waiter may be gone by now; only the address is used (I4).
  void deliver() const {
    if (word_ != nullptr) platform::futex_wake(*word_, 1);
  }

 private:
  const platform::FutexWord* word_ = nullptr;
};

// Returns whether the waiter is signalled while this thread spins: for about 2 us without a break,
// and then, if it `lingers`, with a yield between two looks, for as long as it takes a sleeper to
// run again once it is woken. Where there are more threads than processors, others run during the
// yield, and the thread returns too late to continue. The signal that was seen last is in `seen`.
inline bool look_for_signal(const Waiter& waiter, platform::Time deadline, bool lingers,
                            std::uint32_t& seen) {
  constexpr int kSpins = platform::spins(80);
  constexpr platform::Duration kLinger =
      kSpins == 80 ? std::chrono::microseconds(30) : platform::Duration::zero();
  for (int i = 0; i < kSpins; ++i) {
    // (2) acquire: synchronizes with (1).
    seen = waiter.signal.load(std::memory_order_acquire);
    if (seen != Waiter::kSpinning) return true;
    platform::pause();
  }
  if (!lingers) return false;
  const platform::Time until = std::min(deadline, platform::now() + kLinger);
  while (platform::now() < until) {
    platform::yield();
    seen = waiter.signal.load(std::memory_order_acquire);  // (2)
    if (seen != Waiter::kSpinning) return platform::now() < until;
  }
  return false;
}

// Says whether a thread has spun for the resource before it entered the queue; kYesAndDue: it is to
// be handed the resource by the next release.
enum class Spun : std::uint8_t { kNo, kYes, kYesAndDue };

// Waits, without the guard, until the waiter is signalled or `deadline` has passed. Returns true
// when it was granted; otherwise the caller takes the guard and looks for itself.
//
// A thread that has spun before sleeps after 2 us.
[[gnu::noinline, gnu::cold]] inline bool await_signal(Waiter& waiter, platform::Time deadline,
                                                      Spun spun = Spun::kNo) {
  std::uint32_t seen = Waiter::kSpinning;
  if (spun != Spun::kNo) {
    look_for_signal(waiter, deadline, spun == Spun::kYesAndDue, seen);
  } else if (AdaptiveSpin& spin_state = AdaptiveSpin::of_thread(); spin_state.should_spin()) {
    spin_state.note(look_for_signal(waiter, deadline, true, seen));
  }
  if (seen != Waiter::kSpinning) return seen == Waiter::kGranted;
  // acquire: as (2), for when it fails; falling asleep itself publishes nothing.
  if (!waiter.signal.compare_exchange_strong(seen, Waiter::kParked, std::memory_order_acquire)) {
    return seen == Waiter::kGranted;
  }
  while ((seen = waiter.signal.load(std::memory_order_acquire)) == Waiter::kParked) {  // (2)
    if (!platform::futex_wait(waiter.signal, Waiter::kParked, deadline)) break;
  }
  return seen == Waiter::kGranted;
}

}  // namespace lockbench::internal
