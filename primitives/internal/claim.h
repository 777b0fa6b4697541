// SPDX-License-Identifier: Apache-2.0

// Claim: one thread's handle on one base lock.
//
// A base lock is either Lockable (std::mutex), or a queue lock, which needs a node for each
// acquisition: then it names the node's type `Node` and takes a node in lock, try_lock and
// unlock, and in the functions for shared holds, if it has these. The claim carries the node, so
// that both look the same from outside.
#pragma once

#include <chrono>
#include <concepts>

#include "primitives/concepts.h"

namespace lockbench {

template <class L>
concept QueueLock = requires(L& lock, typename L::Node& node) {
  lock.lock(node);
  { lock.try_lock(node) } -> std::convertible_to<bool>;
  lock.unlock(node);
};

template <class L>
concept SharedQueueLock = QueueLock<L> && requires(L& lock, typename L::Node& node) {
  lock.lock_shared(node);
  { lock.try_lock_shared(node) } -> std::convertible_to<bool>;
  lock.unlock_shared(node);
};

template <class L>
concept BaseLock = Lockable<L> || QueueLock<L>;

namespace internal {

template <BaseLock Base>
class Claim {
 public:
  explicit Claim(Base& base) : base_(base) {}
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  void lock() { base_.lock(); }
  bool try_lock() { return base_.try_lock(); }
  void unlock() { base_.unlock(); }

  template <class Timeout>
  bool try_lock_for(const Timeout& timeout) requires requires(Base& base) {
    base.try_lock_for(timeout);
  }
  { return base_.try_lock_for(timeout); }

  template <class Deadline>
  bool try_lock_until(const Deadline& deadline) requires requires(Base& base) {
    base.try_lock_until(deadline);
  }
  { return base_.try_lock_until(deadline); }

  // For a base lock whose waits end when a stop is requested: false, then.
  template <class Stop>
  bool lock(const Stop& stop) requires requires(Base& base) {
    { base.lock(stop) } -> std::same_as<bool>;
  }
  { return base_.lock(stop); }
  template <class Stop>
  bool lock_shared(const Stop& stop) requires requires(Base& base) {
    { base.lock_shared(stop) } -> std::same_as<bool>;
  }
  { return base_.lock_shared(stop); }

  // For a base lock with shared holds, for example std::shared_mutex.
  void lock_shared() requires SharedLockable<Base> { base_.lock_shared(); }
  bool try_lock_shared() requires SharedLockable<Base> { return base_.try_lock_shared(); }
  void unlock_shared() requires SharedLockable<Base> { base_.unlock_shared(); }

  template <class Timeout>
  bool try_lock_shared_for(const Timeout& timeout) requires requires(Base& base) {
    base.try_lock_shared_for(timeout);
  }
  { return base_.try_lock_shared_for(timeout); }

 private:
  Base& base_;
};

template <QueueLock Base>
class Claim<Base> {
 public:
  explicit Claim(Base& base) : base_(base) {}
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  void lock() { base_.lock(node_); }
  bool try_lock() { return base_.try_lock(node_); }
  void unlock() { base_.unlock(node_); }

  void lock_shared() requires SharedQueueLock<Base> { base_.lock_shared(node_); }
  bool try_lock_shared() requires SharedQueueLock<Base> { return base_.try_lock_shared(node_); }
  void unlock_shared() requires SharedQueueLock<Base> { base_.unlock_shared(node_); }

 private:
  Base& base_;
  typename Base::Node node_;
};

}  // namespace internal
}  // namespace lockbench
