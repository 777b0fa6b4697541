// SPDX-License-Identifier: Apache-2.0

// Published faults of locks of databases and language runtimes, written anew from their reports,
// each in the version with the fault and in the one after it.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <utility>

#include "harness/stress/lock_promises.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/futex.h"
#include "primitives/platform/mutex.h"
#include "tests/mutants/bases.h"

namespace lockbench::mutants::published {

// InnoDB's mutex: release stores to the word and then looks whether anybody waits. With a barrier
// for loads alone between the two, the load may be first.
// Source  MariaDB, MDEV-7026, 2014; the version after it has a full barrier there.
template <bool kFixed>
class EventMutex {
 public:
  void lock() {
    while (!try_lock()) {
      const std::uint32_t seen = event_.load(std::memory_order_acquire);
      waiters_.exchange(1, std::memory_order_seq_cst);
      if (try_lock()) return;
      platform::futex_wait(event_, seen);
    }
  }

  bool try_lock() { return word_.exchange(1, std::memory_order_seq_cst) == 0; }

  void unlock() {
    word_.store(0, kFixed ? std::memory_order_seq_cst : std::memory_order_release);
    const auto order = kFixed ? std::memory_order_seq_cst : std::memory_order_acquire;
    if (waiters_.load(order) == 0) return;
    waiters_.store(0, std::memory_order_seq_cst);
    event_.fetch_add(1, std::memory_order_release);
    platform::futex_wake(event_, 1 << 30);
  }

 private:
  platform::Atomic<std::uint32_t> word_{0};
  platform::Atomic<std::uint32_t> waiters_{0};
  platform::FutexWord event_{0};  // counts how often it was set
};

// CPython's raw mutex: its waiters lie on their stacks, and unlock() takes one off the list before
// it wakes it. A waiter whose sleep ends without that returns, and its memory is gone.
// Source  CPython, github.com/python/cpython issue 148820 and pull request 148852, 2026; the
// version
//         after it sleeps until it has been woken.
template <bool kFixed>
class RawMutex {
 public:
  void lock() {
    Waiter self;
    for (;;) {
      std::uintptr_t seen = bits_.load(std::memory_order_relaxed);
      if ((seen & kLocked) == 0) {
        if (bits_.compare_exchange_strong(seen, seen | kLocked, std::memory_order_acquire)) return;
        continue;
      }
      self.next = seen & ~kLocked;
      const std::uintptr_t mine = reinterpret_cast<std::uintptr_t>(&self) | kLocked;
      if (!bits_.compare_exchange_strong(seen, mine, std::memory_order_acq_rel)) continue;
      wait(self);
    }
  }

  bool try_lock() {
    std::uintptr_t seen = bits_.load(std::memory_order_relaxed);
    return (seen & kLocked) == 0 &&
           bits_.compare_exchange_strong(seen, seen | kLocked, std::memory_order_acquire);
  }

  void unlock() {
    for (;;) {
      std::uintptr_t seen = bits_.load(std::memory_order_acquire);
      auto* const waiter = reinterpret_cast<Waiter*>(seen & ~kLocked);
      const std::uintptr_t next = waiter == nullptr ? 0 : waiter->next;
      if (!bits_.compare_exchange_strong(seen, next, std::memory_order_acq_rel)) continue;
      if (waiter == nullptr) return;
      waiter->woken.store(1, std::memory_order_release);
      return platform::futex_wake(waiter->woken, 1);
    }
  }

 private:
  static constexpr std::uintptr_t kLocked = 1;

  struct Waiter {
    std::uintptr_t next = 0;
    platform::FutexWord woken{0};
  };

  static void wait(Waiter& self) {
    if (kFixed) {
      while (self.woken.load(std::memory_order_acquire) == 0) platform::futex_wait(self.woken, 0);
    } else if (self.woken.load(std::memory_order_acquire) == 0) {
      platform::futex_wait(self.woken, 0);
    }
    self.woken.store(0, std::memory_order_relaxed);
  }

  platform::Atomic<std::uintptr_t> bits_{0};  // the last waiter, and whether it is locked
};

// RocksDB's point locks, with a limit of one lock: a request that meets the limit, and whose
// deadline passes before it waits, neither waits nor gives up.
// Source  RocksDB, github.com/facebook/rocksdb pull request 13585, 2025; the version after it gives
//         up.
template <bool kFixed>
class LimitedLocks : public WaitsUntil<LimitedLocks<kFixed>> {
  enum class Status { kOk, kLimit, kTimedOut };

 public:
  bool try_lock() {
    const std::scoped_lock guard(table_);
    return acquire_locked() == Status::kOk;
  }

  bool wait_until(platform::Time deadline) {
    std::unique_lock guard(table_);
    Status status = acquire_locked();
    bool timed_out = false;
    while (status != Status::kOk && !timed_out) {
      if (deadline == platform::kForever) {
        released_.wait(guard);
        status = Status::kOk;
      } else if (deadline > platform::now()) {
        const bool in_time = released_.wait_until(guard, deadline) == std::cv_status::no_timeout;
        status = in_time ? Status::kOk : Status::kTimedOut;
      } else if (kFixed) {
        status = Status::kTimedOut;
      }
      timed_out = status == Status::kTimedOut;
      // One more attempt, even after the deadline.
      if (status != Status::kLimit) status = acquire_locked();
    }
    return status == Status::kOk;
  }

  void unlock() {
    const std::scoped_lock guard(table_);
    locks_ = 0;
    released_.notify_all();
  }

 private:
  // Under table_.
  Status acquire_locked() {
    if (locks_ == 1) return Status::kLimit;
    locks_ = 1;
    return Status::kOk;
  }

  platform::Mutex table_;
  platform::ConditionVariable released_;
  std::uint32_t locks_ = 0;
};

// Boost.Thread's condition variable: a rest of time that is negative waits until somebody notifies.
// Source  Boost.Thread, tickets 8768 and 9079, 2013, as found by github.com/PointCloudLibrary/pcl
//         pull request 1086; the version after it returns at once.
template <bool kFixed>
class RestOfTimeLock : public MutexAndFlag {
 public:
  void lock() {
    std::unique_lock guard(mutex_);
    while (held_) freed_.wait(guard);
    held_ = true;
  }

  bool try_lock_for(std::chrono::nanoseconds timeout) {
    return try_lock_until(platform::now() + timeout);
  }

  bool try_lock_until(platform::Time deadline) {
    std::unique_lock guard(mutex_);
    while (held_) {
      if (!wait_for(guard, deadline - platform::now()) && held_) return false;
    }
    return held_ = true;
  }

  void unlock() {
    const std::scoped_lock guard(mutex_);
    held_ = false;
    freed_.notify_one();
  }

 private:
  // False when the time is over.
  bool wait_for(std::unique_lock<platform::Mutex>& guard, platform::Duration rest) {
    if (rest < platform::Duration::zero()) {
      if (kFixed) return false;
      freed_.wait(guard);
      return true;
    }
    return freed_.wait_until(guard, platform::now() + rest) == std::cv_status::no_timeout;
  }

  platform::ConditionVariable freed_;
};

// java.util.concurrent's synchronizer with shared holds: two releases in a row see the head of the
// queue before and after its status was cleared, and the second one wakes nobody. The waiter that
// the first one woke found one permit, and so did not wake the next waiter either.
// Source  JDK-6801020, 2009; the version after it marks the head, and who takes its place looks at
//         the mark.
template <bool kFixed>
class SharedReleases {
 public:
  static constexpr LockPromises kPromises{.capacity = 2};

  SharedReleases() {
    Node* const head = keep(new Node);
    head_.store(head, std::memory_order_relaxed);
    tail_.store(head, std::memory_order_relaxed);
  }
  ~SharedReleases() {
    for (Node* node = kept_.load(std::memory_order_relaxed); node != nullptr;) {
      delete std::exchange(node, node->kept_before);
    }
  }
  SharedReleases(const SharedReleases&) = delete;
  SharedReleases& operator=(const SharedReleases&) = delete;

  bool try_lock() { return acquire() >= 0; }

  void lock() {
    if (acquire() >= 0) return;
    Node& self = enter();
    for (;;) {
      Node& before = *self.before;
      if (&before == head_.load()) {
        const int left = acquire();
        if (left >= 0) return become_head(before, self, left);
      }
      if (asks_to_be_woken(before)) park(self);
    }
  }

  void unlock() {
    permits_.fetch_add(1);
    kFixed ? wake_or_mark() : wake_next_of(*head_.load());
  }

 private:
  static constexpr int kSignal = -1;     // the next one sleeps, and must be woken
  static constexpr int kPropagate = -3;  // a release found nobody to wake

  struct Node {
    Node* before = nullptr;
    platform::Atomic<Node*> next{nullptr};
    platform::Atomic<int> status{0};
    platform::FutexWord permit{0};
    Node* kept_before = nullptr;
  };

  // How many permits are left; -1 if there was none.
  int acquire() {
    int seen = permits_.load();
    while (seen > 0 && !permits_.compare_exchange_strong(seen, seen - 1)) {
    }
    return seen - 1;
  }

  // The original has a garbage collector. Here nodes live as long as the lock.
  Node* keep(Node* node) {
    node->kept_before = kept_.load(std::memory_order_relaxed);
    while (!kept_.compare_exchange_weak(node->kept_before, node, std::memory_order_release,
                                        std::memory_order_relaxed)) {
    }
    return node;
  }

  Node& enter() {
    Node& self = *keep(new Node);
    self.before = tail_.load();
    while (!tail_.compare_exchange_strong(self.before, &self)) {
    }
    self.before->next.store(&self);
    return self;
  }

  void become_head(Node& before, Node& self, int left) {
    const bool marked = kFixed && before.status.load() < 0;
    head_.store(&self);
    if (kFixed) {
      if (left > 0 || marked || self.status.load() < 0) wake_or_mark();
    } else if (left > 0) {
      wake_next_of(self);
    }
  }

  // Returns true when the one before knows that it has to wake this one.
  static bool asks_to_be_woken(Node& before) {
    int seen = before.status.load();
    if (seen == kSignal) return true;
    before.status.compare_exchange_strong(seen, kSignal);
    return false;
  }

  void wake_next_of(Node& node) {
    int seen = node.status.load();
    if (seen == 0) return;
    node.status.compare_exchange_strong(seen, 0);
    Node* next = node.next.load();
    // A thread that has just entered may not be linked yet.
    for (Node* at = next == nullptr ? tail_.load() : nullptr; at != nullptr && at != &node;
         at = at->before) {
      next = at;
    }
    if (next != nullptr) unpark(*next);
  }

  void wake_or_mark() {
    for (;;) {
      Node* const head = head_.load();
      if (head != tail_.load()) {
        int seen = head->status.load();
        if (seen == kSignal) {
          wake_next_of(*head);
        } else if (seen == 0 && !head->status.compare_exchange_strong(seen, kPropagate)) {
          continue;
        }
      }
      if (head == head_.load()) return;
    }
  }

  static void unpark(Node& node) {
    node.permit.store(1);
    platform::futex_wake(node.permit, 1);
  }

  static void park(Node& node) {
    while (node.permit.exchange(0) == 0) platform::futex_wait(node.permit, 0);
  }

  platform::Atomic<int> permits_{2};
  platform::Atomic<Node*> head_{nullptr};
  platform::Atomic<Node*> tail_{nullptr};
  platform::Atomic<Node*> kept_{nullptr};
};

}  // namespace lockbench::mutants::published
