// SPDX-License-Identifier: Apache-2.0

// Published faults of unlock(): it touches the lock when another thread, which it has let in, may
// have destroyed it already. Each is written anew from its report, in the version with the fault
// and in the one after it.
#pragma once

#include <cstdint>
#include <mutex>

#include "primitives/platform/atomic.h"
#include "primitives/platform/futex.h"
#include "primitives/platform/mutex.h"
#include "tests/mutants/bases.h"

namespace lockbench::mutants::published {

// glibc's semaphore: sem_post() looks at the number of sleepers after the count has been raised.
// Source  glibc, sourceware.org bug 12674, 2011. The version after it tells by a bit of the count
//         itself whether somebody may sleep.
template <bool kFixed>
class PostedSemaphore {
 public:
  static constexpr bool kLastMayDestroy = true;

  void lock() {
    while (!try_lock()) {
      std::uint32_t seen = count_.load(std::memory_order_relaxed);
      if (kFixed && seen == 0) {
        if (!count_.compare_exchange_strong(seen, kSleepers, std::memory_order_relaxed)) continue;
        seen = kSleepers;
      }
      if (seen / kOne != 0) continue;
      if (!kFixed) sleepers_.fetch_add(1, std::memory_order_seq_cst);
      platform::futex_wait(count_, seen);
      if (!kFixed) sleepers_.fetch_sub(1, std::memory_order_relaxed);
    }
  }

  bool try_lock() {
    std::uint32_t seen = count_.load(std::memory_order_relaxed);
    while (seen >= kOne) {
      if (count_.compare_exchange_weak(seen, seen - kOne, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  void unlock() {
    const std::uint32_t before = count_.fetch_add(kOne, std::memory_order_seq_cst);
    const bool some_sleep =
        kFixed ? (before & kSleepers) != 0 : sleepers_.load(std::memory_order_seq_cst) != 0;
    if (some_sleep) platform::futex_wake(count_, 1);
  }

 private:
  static constexpr std::uint32_t kSleepers = 1;  // the lowest bit; above it is the count
  static constexpr std::uint32_t kOne = 2;

  platform::FutexWord count_{kOne};
  platform::Atomic<std::uint32_t> sleepers_{0};
};

// glibc's mutex: unlock() reads of which kind the mutex is after it has been freed.
// Source  glibc, sourceware.org bug 13690, 2012. The version after it reads the kind before.
template <bool kFixed>
class MutexOfAKind : public SleepersWord {
 public:
  static constexpr bool kLastMayDestroy = true;

  void lock() {
    if (try_lock()) return;
    while (word_.exchange(2, std::memory_order_acquire) != 0) platform::futex_wait(word_, 2);
  }

  void unlock() {
    std::uint32_t kind = kFixed ? kind_.load(std::memory_order_relaxed) : 0;
    if (word_.exchange(0, std::memory_order_release) != 2) return;
    if (!kFixed) kind = kind_.load(std::memory_order_relaxed);
    if (kind == kOfOneProcess) platform::futex_wake(word_, 1);
  }

 private:
  static constexpr std::uint32_t kOfOneProcess = 128;

  platform::Atomic<std::uint32_t> kind_{kOfOneProcess};
};

// CPython's lock of a mutex and a condition variable: release() signals when it has left the mutex.
// Source  CPython, bugs.python.org issue 38106, 2019. The version after it signals inside.
template <bool kFixed>
class SignalledLock : public MutexAndFlag {
 public:
  static constexpr bool kLastMayDestroy = true;

  void lock() {
    std::unique_lock guard(mutex_);
    while (held_) released_.wait(guard);
    held_ = true;
  }

  void unlock() {
    {
      const std::scoped_lock guard(mutex_);
      held_ = false;
      if (kFixed) released_.notify_one();
    }
    if (!kFixed) released_.notify_one();
  }

 private:
  platform::ConditionVariable released_;
};

}  // namespace lockbench::mutants::published
