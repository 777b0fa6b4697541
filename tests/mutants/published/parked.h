// SPDX-License-Identifier: Apache-2.0

// Published faults of sleeping and waking, written anew from their reports, each in the version
// with the fault and in the one after it.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <list>
#include <mutex>

#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/futex.h"
#include "primitives/platform/mutex.h"
#include "primitives/platform/spin.h"
#include "tests/mutants/bases.h"

namespace lockbench::mutants::published {

// parking_lot: a waiter that times out as the last of its queue says so in the lock's word when it
// has left the queue's own lock: by then another one may sleep, whose word that takes away.
// Source  parking_lot, github.com/Amanieu/parking_lot issue 465 and pull request 466, 2025; the
//         version after it changes the word inside.
template <bool kFixed>
class ParkedBitLock : public WaitsUntil<ParkedBitLock<kFixed>> {
 public:
  bool try_lock() {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    while ((seen & kHeld) == 0) {
      if (word_.compare_exchange_weak(seen, seen | kHeld, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  bool wait_until(platform::Time deadline) {
    while (!try_lock()) {
      if (!park(deadline)) return false;
    }
    return true;
  }

  void unlock() {
    if ((word_.fetch_and(~kHeld, std::memory_order_release) & kParked) == 0) return;
    const std::scoped_lock guard(queue_lock_);
    if (queue_.empty()) return;
    queue_.front()->woken = true;
    queue_.front()->told.notify_one();
    queue_.pop_front();
    if (queue_.empty()) word_.fetch_and(~kParked, std::memory_order_relaxed);
  }

 private:
  // bit 0: held | bit 1: threads sleep in the queue
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kParked = 2;

  struct Sleeper {
    bool woken = false;
    platform::ConditionVariable told;
  };

  // False when the deadline passed.
  bool park(platform::Time deadline) {
    std::unique_lock guard(queue_lock_);
    if ((word_.fetch_or(kParked, std::memory_order_relaxed) & kHeld) == 0) return true;
    Sleeper self;
    queue_.push_back(&self);
    bool in_time = true;
    while (!self.woken && in_time) {
      if (deadline == platform::kForever) {
        self.told.wait(guard);
      } else {
        in_time = self.told.wait_until(guard, deadline) == std::cv_status::no_timeout;
      }
    }
    if (self.woken) return true;
    queue_.remove(&self);
    const bool last = queue_.empty();
    if (!kFixed) guard.unlock();
    if (last) word_.fetch_and(~kParked, std::memory_order_relaxed);
    return false;
  }

  platform::Atomic<std::uint32_t> word_{0};
  platform::Mutex queue_lock_;
  std::list<Sleeper*> queue_;
};

// HotSpot's park(): a permit that is there already is used up by a plain store, with no barrier
// before the lock is looked at again. Whoever frees the lock then may still see the permit, and
// wakes nobody.
// Source  JDK-6822370, 2009; the version after it has a barrier there.
template <bool kFixed>
class PermitLock {
 public:
  void lock() {
    while (!try_lock()) park();
  }

  bool try_lock() {
    // seq_cst: behind the store of the permit, which a load that only acquires may overtake.
    if (held_.load(kFixed ? std::memory_order_seq_cst : std::memory_order_acquire) != 0)
      return false;
    std::uint32_t free = 0;
    return held_.compare_exchange_strong(free, 1, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }

  void unlock() {
    held_.store(0, std::memory_order_seq_cst);
    if (permit_.load(std::memory_order_seq_cst) != 0) return;
    if (permit_.exchange(1, std::memory_order_seq_cst) == 0) platform::futex_wake(permit_, 1 << 30);
  }

 private:
  void park() {
    if (permit_.load(std::memory_order_relaxed) != 0) {
      permit_.store(0, kFixed ? std::memory_order_seq_cst : std::memory_order_relaxed);
      return;
    }
    platform::futex_wait(permit_, 0);
  }

  platform::Atomic<std::uint32_t> held_{0};
  platform::FutexWord permit_{0};
};

// A futex of one's own, whose wait looks at the value before it locks the list of sleepers: the
// value may change in between, and the wake-up for that finds nobody.
// Source  Asterinas, github.com/asterinas/asterinas pull request 1642, 2024; the version after it
//         looks when it has the lock.
template <bool kFixed>
class OwnFutexLock : public SleepersWord {
 public:
  void lock() {
    if (try_lock()) return;
    while (word_.exchange(kWaiters, std::memory_order_acquire) != kFree) wait(kWaiters);
  }

  void unlock() {
    if (word_.exchange(kFree, std::memory_order_release) == kWaiters) wake();
  }

 private:
  struct Sleeper {
    bool woken = false;
    platform::ConditionVariable told;
  };

  void wait(std::uint32_t expected) {
    if (!kFixed && word_.load(std::memory_order_relaxed) != expected) return;
    std::unique_lock guard(list_lock_);
    if (kFixed && word_.load(std::memory_order_relaxed) != expected) return;
    Sleeper self;
    sleepers_.push_back(&self);
    while (!self.woken) self.told.wait(guard);
  }

  void wake() {
    const std::scoped_lock guard(list_lock_);
    if (sleepers_.empty()) return;
    sleepers_.front()->woken = true;
    sleepers_.front()->told.notify_one();
    sleepers_.pop_front();
  }

  platform::Mutex list_lock_;
  std::list<Sleeper*> sleepers_;
};

// Mutual exclusion of two, without a read-modify-write. A side is taken by one thread at a time.
// Source  H. Hyman, "Comments on a Problem in Concurrent Programming Control", 1966, shown to be
//         wrong by D. Knuth in the same year; G. Peterson, "Myths About the Mutual Exclusion
//         Problem", 1981, is right.
template <bool kFixed>
class TwoSides {
 public:
  void lock() {
    const std::uint32_t side = count_.fetch_add(1, std::memory_order_relaxed) % 2;
    while (taken_[side].exchange(true, std::memory_order_acquire)) platform::pause();
    kFixed ? wait_as_peterson(side) : wait_as_hyman(side);
    holder_ = side;
  }

  // Where the other side may be about to wait, neither has it at once: this one gives way.
  bool try_lock() {
    const std::uint32_t side = count_.fetch_add(1, std::memory_order_relaxed) % 2;
    if (taken_[side].exchange(true, std::memory_order_acquire)) return false;
    wants_[side].store(true, std::memory_order_seq_cst);
    const bool mine = kFixed ? may_go_on_as_peterson(side) : may_go_on_as_hyman(side);
    if (mine) {
      holder_ = side;
    } else {
      leave(side);
    }
    return mine;
  }

  void unlock() { leave(holder_); }

 private:
  void wait_as_peterson(std::uint32_t side) {
    wants_[side].store(true, std::memory_order_seq_cst);
    turn_.store(1 - side, std::memory_order_seq_cst);
    while (wants_[1 - side].load(std::memory_order_seq_cst) &&
           turn_.load(std::memory_order_seq_cst) != side) {
      platform::pause();
    }
  }

  void wait_as_hyman(std::uint32_t side) {
    wants_[side].store(true, std::memory_order_seq_cst);
    while (turn_.load(std::memory_order_seq_cst) != side) {
      while (wants_[1 - side].load(std::memory_order_seq_cst)) platform::pause();
      turn_.store(side, std::memory_order_seq_cst);
    }
  }

  bool may_go_on_as_peterson(std::uint32_t side) {
    turn_.store(1 - side, std::memory_order_seq_cst);
    return !wants_[1 - side].load(std::memory_order_seq_cst);
  }

  bool may_go_on_as_hyman(std::uint32_t side) {
    if (turn_.load(std::memory_order_seq_cst) == side) return true;
    if (wants_[1 - side].load(std::memory_order_seq_cst)) return false;
    turn_.store(side, std::memory_order_seq_cst);
    return true;
  }

  void leave(std::uint32_t side) {
    wants_[side].store(false, std::memory_order_release);
    taken_[side].store(false, std::memory_order_release);
  }

  platform::Atomic<std::uint32_t> count_{0};
  std::array<platform::Atomic<bool>, 2> taken_{};
  std::array<platform::Atomic<bool>, 2> wants_{};
  platform::Atomic<std::uint32_t> turn_{0};
  std::uint32_t holder_ = 0;
};

}  // namespace lockbench::mutants::published
