// SPDX-License-Identifier: Apache-2.0

// Locks of several words, and a variant of each in which one memory order is too weak. x86 with its
// store buffers never shows the fault, and a thread that acquires the lock is still ordered after
// the last holder.
//
// Requires     simulated threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "primitives/platform/atomic.h"
#include "primitives/platform/futex.h"
#include "primitives/platform/spin.h"
#include "tests/mutants/bases.h"
#include "tests/mutants/weak_queue_locks.h"

namespace lockbench::mutants {

using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

// ---- Each thread raises its flag and looks at all others. After E. W. Dijkstra, 1965.

enum class FlagFault {
  kNone,
  kRaisesInNoOrder,  // by an exchange that acquires and releases: it may come after what it reads
  kLooksInNoOrder,   // raises in the total order, and looks by loads that are not in it
};

template <FlagFault kFault>
class FlagLock : public Spins<FlagLock<kFault>> {
 public:
  bool try_lock() {
    const std::size_t self = number_of_this_thread();
    constexpr auto kRaise =
        kFault == FlagFault::kRaisesInNoOrder ? memory_order_acq_rel : memory_order_seq_cst;
    constexpr auto kLook =
        kFault == FlagFault::kLooksInNoOrder ? memory_order_acquire : memory_order_seq_cst;
    flags_[self].exchange(true, kRaise);
    bool alone = true;
    for (std::size_t i = 0; i < kSimulatedThreads; ++i)
      alone &= i == self || !flags_[i].load(kLook);
    if (!alone) flags_[self].store(false, memory_order_release);
    return alone;
  }

  void unlock() { flags_[number_of_this_thread()].store(false, memory_order_release); }

 private:
  std::array<platform::Atomic<bool>, kSimulatedThreads> flags_{};
};

// ---- A word, and a count of those who may sleep on it.

enum class SleeperFault {
  kNone,
  kLooksInNoOrder,  // unlocks by a release, and may have read the count before that
};

template <SleeperFault kFault>
class SleeperLock {
 public:
  void lock() {
    while (!try_lock()) {
      sleepers_.fetch_add(1, memory_order_seq_cst);
      platform::futex_wait(word_, 1);
      sleepers_.fetch_sub(1, memory_order_relaxed);
    }
  }
  bool try_lock() { return word_.exchange(1, memory_order_acquire) == 0; }
  void unlock() {
    constexpr bool kOrdered = kFault == SleeperFault::kNone;
    word_.exchange(0, kOrdered ? memory_order_seq_cst : memory_order_release);
    if (sleepers_.load(kOrdered ? memory_order_seq_cst : memory_order_relaxed) == 0) return;
    platform::futex_wake(word_, 1);
  }

 private:
  platform::FutexWord word_{0};
  platform::Atomic<std::uint32_t> sleepers_{0};
};

// ---- A word, and a count of events to sleep on.

enum class EventFault {
  kNone,
  kCountDoesNotRelease,  // who reads the new count may still find the word held
  kCountIsNotAcquired,   // the same, at the other end
};

template <EventFault kFault>
class EventLock {
 public:
  void lock() {
    for (;;) {
      const std::uint32_t seen = events_.load(
          kFault == EventFault::kCountIsNotAcquired ? memory_order_relaxed : memory_order_acquire);
      if (try_lock()) return;
      platform::futex_wait(events_, seen);
    }
  }
  bool try_lock() {
    bool free = false;
    return held_.compare_exchange_strong(free, true, memory_order_acquire, memory_order_relaxed);
  }
  void unlock() {
    held_.store(false, memory_order_release);
    events_.fetch_add(1, kFault == EventFault::kCountDoesNotRelease ? memory_order_relaxed
                                                                    : memory_order_release);
    platform::futex_wake(events_, 1 << 30);
  }

 private:
  platform::FutexWord events_{0};
  platform::Atomic<bool> held_{false};
};

// ---- A lock that lives while anybody uses it.

class PlainSpin : public Spins<PlainSpin> {
 public:
  bool try_lock() { return !held_.exchange(true, memory_order_acquire); }
  void unlock() { held_.store(false, memory_order_release); }

 private:
  platform::Atomic<bool> held_{false};
};

enum class UsersFault {
  kNone,
  kDoesNotRelease,  // who leaves may still use it when the last one frees it
  kIsNotAcquired,   // the same, at the other end
};

template <UsersFault kFault>
class UsersLock {
 public:
  void lock() {
    enter().lock.lock();
    holds_.fetch_add(1, memory_order_acquire);
  }
  bool try_lock() {
    Entry& entry = enter();
    if (entry.lock.try_lock()) {
      holds_.fetch_add(1, memory_order_acquire);
      return true;
    }
    leave(entry);
    return false;
  }
  // A user may read entry_: nobody replaces an entry that has one.
  void unlock() {
    Entry& entry = *entry_;
    holds_.fetch_add(1, memory_order_release);
    entry.lock.unlock();
    leave(entry);
  }

 private:
  struct Entry {
    PlainSpin lock;
    platform::Atomic<std::uint32_t> users{0};
  };

  // release: this thread's accesses. acquire: those of all who left before the last.
  static constexpr auto kLeaves = kFault == UsersFault::kNone             ? memory_order_acq_rel
                                  : kFault == UsersFault::kDoesNotRelease ? memory_order_acquire
                                                                          : memory_order_release;
  // acquire: those of who came and left after this thread did.
  static constexpr auto kLooks =
      kFault == UsersFault::kIsNotAcquired ? memory_order_relaxed : memory_order_acquire;

  Entry& enter() {
    table_.lock();
    if (entry_ == nullptr) entry_ = new Entry;
    Entry& entry = *entry_;
    entry.users.fetch_add(1, memory_order_relaxed);
    table_.unlock();
    return entry;
  }

  void leave(Entry& entry) {
    if (entry.users.fetch_sub(1, kLeaves) != 1) return;
    // Another thread may have come, or come and freed it, meanwhile.
    table_.lock();
    if (entry_ == &entry && entry.users.load(kLooks) == 0) {
      delete entry_;
      entry_ = nullptr;
    }
    table_.unlock();
  }

  PlainSpin table_;
  Entry* entry_ = nullptr;
  // Orders each holder after the last one, whatever the orders of the entry are: what is too weak
  // shows in the life of an entry alone.
  platform::Atomic<std::uint32_t> holds_{0};
};

}  // namespace lockbench::mutants
