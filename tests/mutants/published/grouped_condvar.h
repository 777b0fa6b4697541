// SPDX-License-Identifier: Apache-2.0

// A published fault of glibc's condition variable, written anew from its reports, in the version
// with the fault and in the one after it; and a lock that waits with it.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>

#include "primitives/platform/atomic.h"
#include "primitives/platform/futex.h"
#include "primitives/platform/mutex.h"

namespace lockbench::mutants::published {

// Waiters are in two groups. Signals go to G1, and new waiters into G2. When all of G1 have been
// signalled, the groups change their roles: G1 is closed, G2 becomes G1, and the words of the
// closed group serve the new G2. Timeouts and broadcasts are left out.
//
// A waiter of a closed group that is late finds its word in use by a younger group, and may take a
// signal from it. The version with the fault gives such a signal back. But if the roles change once
// more before it does so, it adds a signal to a group that is not signalled yet. A waiter there
// goes on by it, but is still counted, so that a later signal goes to a group in which no thread is
// left. The version after it counts signals from the position at which the group begins, so that no
// late waiter can take one. Source  glibc, sourceware.org/bugzilla bug 25847, 2020, repaired
// in 2.41; found with a model by
//         M. Skarupke, repaired by F. Barrus.
template <bool kFixed>
class GroupedCondvar {
 public:
  void wait(std::unique_lock<platform::Mutex>& guard) {
    waiters_.fetch_add(1, std::memory_order_relaxed);
    // Acquire: the roles of the groups are seen as they were when bit 0 was written.
    const std::uint64_t seen = sequence_.fetch_add(2, std::memory_order_acquire);
    guard.unlock();
    if (kFixed) {
      await_own_signal(groups_[seen & 1], seen & 1, seen >> 1);
    } else {
      await_any_signal(groups_[seen & 1], seen & 1, seen >> 1);
    }
    waiters_.fetch_sub(1, std::memory_order_release);
    guard.lock();
  }

  void notify_one() {
    if (waiters_.load(std::memory_order_relaxed) == 0) return;
    std::unique_lock signaller(signallers_);
    const std::uint64_t sequence = sequence_.load(std::memory_order_relaxed);
    std::uint64_t first = (sequence & 1) ^ 1;
    if (groups_[first].unsignalled == 0) {
      if (!switch_groups(sequence >> 1)) return;
      first ^= 1;
    }
    Group& group = groups_[first];
    group.signals.fetch_add(2, std::memory_order_relaxed);
    --group.unsignalled;
    signaller.unlock();
    platform::futex_wake(group.signals, 1);
  }

 private:
  static constexpr std::uint32_t kClosed = 1;

  struct Group {
    platform::FutexWord signals{0};   // twice their number; with the fault, bit 0: closed
    platform::FutexWord sleepers{0};  // twice their number; bit 0: the signaller waits for 0
    std::uint32_t unsignalled = 0;    // waiters that were not signalled yet; of signallers
  };

  // The version with the fault: takes any signal in the word of its group.
  void await_any_signal(Group& group, std::uint64_t number, std::uint64_t position) {
    std::uint32_t signals = group.signals.load(std::memory_order_acquire);
    do {
      while (signals == 0) {
        group.sleepers.fetch_add(2, std::memory_order_acquire);
        const bool closed = (group.signals.load(std::memory_order_acquire) & kClosed) != 0;
        if (closed || position < begin_.load(std::memory_order_relaxed) >> 1) {
          return leave(group);
        }
        platform::futex_wait(group.signals, 0);
        leave(group);
        signals = group.signals.load(std::memory_order_acquire);
      }
      if ((signals & kClosed) != 0) return;  // all of the group have been signalled
    } while (!group.signals.compare_exchange_weak(signals, signals - 2, std::memory_order_acquire,
                                                  std::memory_order_relaxed));
    give_back_if_stolen(group, number, position);
  }

  void give_back_if_stolen(Group& group, std::uint64_t number, std::uint64_t position) {
    const std::uint64_t begin = begin_.load(std::memory_order_relaxed);
    const bool first_again = ((begin & 1) ^ 1) == number;
    if (position >= begin >> 1 || !first_again) return;
    std::uint32_t signals = group.signals.load(std::memory_order_relaxed);
    while (begin_.load(std::memory_order_relaxed) == begin) {
      if ((signals & kClosed) != 0 ||
          group.signals.compare_exchange_weak(signals, signals + 2, std::memory_order_relaxed)) {
        return platform::futex_wake(group.signals, 1);
      }
    }
  }

  static void leave(Group& group) {
    if (group.sleepers.fetch_sub(2, std::memory_order_release) != 3) return;
    group.sleepers.fetch_and(~1U, std::memory_order_relaxed);
    platform::futex_wake(group.sleepers, 1 << 30);
  }

  // The version after it: a signal is above the position at which the group begins.
  void await_own_signal(Group& group, std::uint64_t number, std::uint64_t position) {
    for (;;) {
      std::uint32_t signals = group.signals.load(std::memory_order_acquire);
      const std::uint64_t begin = begin_.load(std::memory_order_relaxed);
      if (position < begin >> 1) return;  // all of the group have been signalled
      const bool second = (begin & 1) == number;
      const std::uint32_t none = second ? signals : static_cast<std::uint32_t>(begin & ~1ULL);
      if (static_cast<std::int32_t>(signals - none) < 2) {
        platform::futex_wait(group.signals, signals);
      } else if (group.signals.compare_exchange_weak(
                     signals, signals - 2, std::memory_order_acquire, std::memory_order_relaxed)) {
        return;
      }
    }
  }

  // Makes G2 the new G1, if it has a waiter; `waiters`: how many have come so far.
  bool switch_groups(std::uint64_t waiters) {
    const std::uint64_t begin = begin_.load(std::memory_order_relaxed);
    const std::uint64_t second = begin & 1;
    const std::uint64_t next = (begin >> 1) + size_of_first_;  // the position of the first in G2
    if (waiters == next) return false;
    Group& closed = groups_[second ^ 1];
    if (kFixed) {
      groups_[second].signals.store(static_cast<std::uint32_t>(next << 1),
                                    std::memory_order_release);
    } else {
      closed.signals.fetch_or(kClosed, std::memory_order_relaxed);
      await_sleepers(closed);
    }
    begin_.store(next << 1 | (second ^ 1), std::memory_order_release);
    if (!kFixed) closed.signals.store(0, std::memory_order_release);
    const std::uint64_t end = sequence_.fetch_xor(1, std::memory_order_release) >> 1;
    size_of_first_ = end - next;
    groups_[second].unsignalled = static_cast<std::uint32_t>(size_of_first_);
    return true;
  }

  // Until no thread that found the group open is about to sleep in it.
  static void await_sleepers(Group& group) {
    std::uint32_t sleepers = group.sleepers.load(std::memory_order_acquire);
    while (sleepers >> 1 != 0) {
      sleepers = group.sleepers.fetch_or(1, std::memory_order_relaxed) | 1;
      if (sleepers >> 1 != 0) platform::futex_wait(group.sleepers, sleepers);
      sleepers = group.sleepers.load(std::memory_order_acquire);
    }
  }

  platform::Mutex signallers_;
  // Bit 0: which group is G2. The others: how many waiters have come so far.
  platform::Atomic<std::uint64_t> sequence_{0};
  // Bit 0: which group is G2. The others: the position of the first waiter of G1.
  platform::Atomic<std::uint64_t> begin_{0};
  platform::Atomic<std::uint32_t> waiters_{0};
  std::uint64_t size_of_first_ = 0;  // at first; of signallers
  std::array<Group, 2> groups_;
};

template <bool kFixed>
class GroupedCondvarLock {
 public:
  void lock() {
    std::unique_lock guard(mutex_);
    while (held_) free_.wait(guard);
    held_ = true;
  }

  bool try_lock() {
    const std::scoped_lock guard(mutex_);
    if (held_) return false;
    return held_ = true;
  }

  void unlock() {
    {
      const std::scoped_lock guard(mutex_);
      held_ = false;
    }
    free_.notify_one();
  }

 private:
  platform::Mutex mutex_;
  GroupedCondvar<kFixed> free_;
  bool held_ = false;
};

}  // namespace lockbench::mutants::published
