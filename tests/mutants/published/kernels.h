// SPDX-License-Identifier: Apache-2.0

// Published faults of locks of kernels and of the libraries above them, written anew from their
// reports, each in the version with the fault and in the one after it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <list>
#include <mutex>

#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/futex.h"
#include "primitives/platform/mutex.h"
#include "tests/mutants/bases.h"

namespace lockbench::mutants::published {

enum class RtFault {
  kNone,
  kClearsAlways,  // clears the bit of waiters where it is not set, over a release
  kNoAcquire,     // takes the lock on the slow path without acquiring
};

// Linux's rt_mutex. The word is changed by compare-exchange where no thread waits; otherwise under
// the lock of the queue. A thread that leaves the queue as the last clears the bit.
// Source  Linux commit dbb26055defd ("Prevent dequeue vs. unlock race", 2016): two threads give up
//         at the same time, and the second one writes the word that it has read although the owner
//         has released it since; the version after it writes only if the bit is set. Linux commit
//         1c0908d8e441 ("Add acquire semantics for rtmutex lock acquisition slow path", 2022): the
//         slow path takes the word by a plain store; the version after it acquires.
template <RtFault kFault>
class RtMutex : public WaitsUntil<RtMutex<kFault>> {
 public:
  bool try_lock() {
    std::uint32_t free = 0;
    return word_.compare_exchange_strong(free, kHeld, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }

  bool wait_until(platform::Time deadline) {
    if (try_lock()) return true;
    Waiter self;
    {
      const std::scoped_lock guard(queue_lock_);
      if (take_or_mark()) return true;
      queue_.push_back(&self);
    }
    for (bool in_time = true;;) {
      if (self.woken.load(std::memory_order_relaxed) == 0 && in_time) {
        in_time = platform::futex_wait(self.woken, 0, deadline);
      }
      const std::scoped_lock guard(queue_lock_);
      self.woken.store(0, std::memory_order_relaxed);
      const bool first = queue_.front() == &self;
      if (first && take_or_mark()) {
        queue_.pop_front();
        clear_if_last();
        return true;
      }
      if (in_time) continue;
      queue_.remove(&self);
      // Who was first may have been woken in its place.
      if (first && !queue_.empty()) wake(*queue_.front());
      break;
    }
    const std::scoped_lock guard(queue_lock_);
    clear_if_last();
    return false;
  }

  void unlock() {
    std::uint32_t alone = kHeld;
    if (word_.compare_exchange_strong(alone, 0, std::memory_order_release,
                                      std::memory_order_relaxed)) {
      return;
    }
    const std::scoped_lock guard(queue_lock_);
    word_.store(queue_.empty() ? 0 : kWaiters, std::memory_order_release);
    if (!queue_.empty()) wake(*queue_.front());
  }

 private:
  // 0 free | kHeld, held | kWaiters, free, and threads wait | kHeld + kWaiters
  static constexpr std::uint32_t kHeld = 2;
  static constexpr std::uint32_t kWaiters = 1;

  struct Waiter {
    platform::FutexWord woken{0};
  };

  static void wake(Waiter& waiter) {
    waiter.woken.store(1, std::memory_order_relaxed);
    platform::futex_wake(waiter.woken, 1);
  }

  // Under queue_lock_. Takes the word if it is free, otherwise says that a thread waits, so that
  // the owner comes to the queue, too.
  bool take_or_mark() {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    for (;;) {
      const bool free = (seen & kHeld) == 0;
      const std::uint32_t next = free ? seen | kHeld : seen | kWaiters;
      const auto order =
          kFault == RtFault::kNoAcquire ? std::memory_order_relaxed : std::memory_order_acquire;
      if (word_.compare_exchange_weak(seen, next, order, std::memory_order_relaxed)) return free;
    }
  }

  // Under queue_lock_, which orders this after the unlock() that left the word free: release passes
  // that on.
  void clear_if_last() {
    if (!queue_.empty()) return;
    const std::uint32_t seen = word_.load(std::memory_order_relaxed);
    if (kFault != RtFault::kClearsAlways && (seen & kWaiters) == 0) return;
    word_.store(seen & ~kWaiters, std::memory_order_release);
  }

  platform::Atomic<std::uint32_t> word_{0};
  platform::Mutex queue_lock_;
  std::list<Waiter*> queue_;
};

// libnx: the kernel hands a mutex over to the thread that has waited longest, by writing its number
// into the word. unlock() frees the word before it asks the kernel, so that another thread may have
// taken it by then.
// Source  libnx, github.com/switchbrew/libnx pull request 120, 2018; the version after it leaves
// the
//         word to the kernel if threads wait.
template <bool kFixed>
class ArbitratedLock {
 public:
  void lock() {
    const std::uint32_t self = requests_.fetch_add(1, std::memory_order_relaxed) + 1;
    std::uint32_t seen = 0;
    while (!word_.compare_exchange_strong(seen, self, std::memory_order_acquire)) {
      const std::uint32_t waiting = seen | kWaiters;
      if (seen == waiting || word_.compare_exchange_strong(seen, waiting)) {
        if (kernel_lock(waiting, self)) break;
      }
      seen = 0;
    }
    owner_ = self;
  }

  bool try_lock() {
    const std::uint32_t self = requests_.fetch_add(1, std::memory_order_relaxed) + 1;
    std::uint32_t free = 0;
    if (!word_.compare_exchange_strong(free, self, std::memory_order_acquire)) return false;
    owner_ = self;
    return true;
  }

  void unlock() {
    if (kFixed) {
      std::uint32_t alone = owner_;
      if (!word_.compare_exchange_strong(alone, 0, std::memory_order_release)) kernel_unlock();
    } else if ((word_.exchange(0, std::memory_order_acq_rel) & kWaiters) != 0) {
      kernel_unlock();
    }
  }

 private:
  static constexpr std::uint32_t kWaiters = 1U << 31;

  struct Sleeper {
    std::uint32_t number;
    bool owns = false;
    platform::ConditionVariable told;
  };

  // Returns whether the kernel has made this thread the owner. It sleeps only while the word is as
  // it was seen.
  bool kernel_lock(std::uint32_t seen, std::uint32_t self) {
    std::unique_lock guard(kernel_);
    if (word_.load(std::memory_order_relaxed) != seen) return false;
    Sleeper sleeper{.number = self};
    sleepers_.push_back(&sleeper);
    while (!sleeper.owns) sleeper.told.wait(guard);
    return true;
  }

  void kernel_unlock() {
    const std::scoped_lock guard(kernel_);
    if (sleepers_.empty()) return word_.store(0, std::memory_order_release);
    Sleeper& next = *sleepers_.front();
    sleepers_.pop_front();
    word_.store(next.number | (sleepers_.empty() ? 0 : kWaiters), std::memory_order_release);
    next.owns = true;
    next.told.notify_one();
  }

  platform::Atomic<std::uint32_t> word_{0};
  platform::Atomic<std::uint32_t> requests_{0};
  std::uint32_t owner_ = 0;  // of the holder
  platform::Mutex kernel_;
  std::list<Sleeper*> sleepers_;
};

// SerenityOS: a waiter sleeps as long as the word is what it has seen, which may be "held, and
// nobody waits": then the unlock that ends this hold wakes nobody.
// Source  SerenityOS, github.com/SerenityOS/serenity pull request 20425, 2023; the version after it
//         sleeps only while the word says that somebody waits.
template <bool kFixed>
class NeedToWakeLock {
 public:
  void lock() {
    std::uint32_t seen = 0;
    if (word_.compare_exchange_strong(seen, kHeld, std::memory_order_acquire)) return;
    if (seen != kNeedToWake) seen = word_.exchange(kNeedToWake, std::memory_order_acquire);
    while (seen != 0) {
      platform::futex_wait(word_, kFixed ? kNeedToWake : seen);
      seen = word_.exchange(kNeedToWake, std::memory_order_acquire);
    }
  }

  bool try_lock() {
    std::uint32_t free = 0;
    return word_.compare_exchange_strong(free, kHeld, std::memory_order_acquire);
  }

  void unlock() {
    if (word_.exchange(0, std::memory_order_release) == kNeedToWake) platform::futex_wake(word_, 1);
  }

 private:
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kNeedToWake = 2;  // held, and threads may sleep

  platform::FutexWord word_{0};
};

}  // namespace lockbench::mutants::published
