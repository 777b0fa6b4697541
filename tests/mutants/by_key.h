// SPDX-License-Identifier: Apache-2.0

// Handles for locks that take a key, a pair of keys, or give out a lease.
#pragma once

#include <cstddef>
#include <cstdint>

#include "primitives/platform/mutex.h"

namespace lockbench::mutants {

// For a lock that has lock(key), try_lock(key) and unlock(key).
template <class Lock>
class ByKey {
 public:
  class Handle {
   public:
    Handle(Lock& lock, std::uint64_t key) : lock_(lock), key_(key) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void lock() { lock_.lock(key_); }
    bool try_lock() { return lock_.try_lock(key_); }
    void unlock() { lock_.unlock(key_); }

   private:
    Lock& lock_;
    const std::uint64_t key_;
  };

  Handle handle(std::uint64_t key) { return Handle(static_cast<Lock&>(*this), key); }
  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof(Lock); }
};

// For a lock that has kLeases, take(), try_take(lease) and give(lease). One shard.
template <class Lock>
class ByLease {
 public:
  class Handle {
   public:
    explicit Handle(Lock& lock) : lock_(lock) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void lock() { lease_ = lock_.take(); }
    bool try_lock() { return lock_.try_take(lease_); }
    void unlock() { lock_.give(lease_); }
    std::uint32_t lease() const { return lease_; }

   private:
    Lock& lock_;
    std::uint32_t lease_ = 0;
  };

  Handle handle(std::uint64_t) { return Handle(static_cast<Lock&>(*this)); }
  static constexpr std::uint32_t capacity() { return Lock::kLeases; }
  std::size_t lock_bytes() const { return sizeof(Lock); }
};

// Two mutexes, of which the second may be null: then both keys have the first one. With the fault,
// a try that is refused the second one keeps the first.
template <bool kTryLeaks = false>
class MutexPair {
 public:
  MutexPair(platform::Mutex* first, platform::Mutex* second) : first_(first), second_(second) {}
  MutexPair(const MutexPair&) = delete;
  MutexPair& operator=(const MutexPair&) = delete;

  void lock() {
    first_->lock();
    if (second_ != nullptr) second_->lock();
  }
  bool try_lock() {
    if (!first_->try_lock()) return false;
    if (second_ == nullptr || second_->try_lock()) return true;
    if (!kTryLeaks) first_->unlock();
    return false;
  }
  void unlock() {
    if (second_ != nullptr) second_->unlock();
    first_->unlock();
  }

 private:
  platform::Mutex* const first_;
  platform::Mutex* const second_;
};

}  // namespace lockbench::mutants
