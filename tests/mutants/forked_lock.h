// SPDX-License-Identifier: Apache-2.0

// ForkedLock: a mutex that only its owner may unlock, with a promise: a thread that forks while it
// holds may go on in the child. And the ways to know the owner that break it. Where time is
// simulated (also by an instrumented plug-in, for stress alone) all forms are the correct one.
#pragma once

#include <cstdint>
#include <type_traits>
#include <unistd.h>

#include "harness/stress/lock_promises.h"
#include "primitives/futex_mutex.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/futex.h"
#include "primitives/platform/thread.h"

namespace lockbench::mutants {

enum class ForkedFault {
  kNone,
  kTaskNumber,     // the owner is the kernel's number of the thread, which the child's differs from
  kProcessNumber,  // the owner is the thread's address, mixed with the number of the process
  kHelper,         // a thread of the lock makes the release, and the child does not have it
};

#if defined(LOCKBENCH_SIMULATE) || defined(LOCKBENCH_STRESS_ONLY)
inline constexpr bool kForkedSimulated = true;
#else
inline constexpr bool kForkedSimulated = false;
#endif

template <ForkedFault kFault>
class ForkedLock {
 public:
  static constexpr LockPromises kPromises{.refuses_non_owners = true, .survives_fork = true};

  void lock() {
    mutex_.lock();
    owner_.store(self(), std::memory_order_relaxed);
  }

  bool try_lock() {
    if (!mutex_.try_lock()) return false;
    owner_.store(self(), std::memory_order_relaxed);
    return true;
  }

  void unlock() {
    if (owner_.load(std::memory_order_relaxed) != self()) return;
    owner_.store(0, std::memory_order_relaxed);
    if constexpr (kFault == ForkedFault::kHelper && !kForkedSimulated) {
      return helper_.release(mutex_);
    }
    mutex_.unlock();
  }

 private:
  // A thread that makes the releases of all others. They wait until it has done so.
  class Helper {
   public:
    Helper() : thread_([this] { serve(); }) {}
    ~Helper() {
      ends_.store(true, std::memory_order_relaxed);
      request();
      thread_.join();
    }

    // Called by the holder alone.
    void release(FutexMutex& mutex) {
      mutex_ = &mutex;
      const std::uint32_t number = request();
      for (;;) {
        const std::uint32_t served = served_.load(std::memory_order_acquire);
        if (static_cast<std::int32_t>(served - number) >= 0) return;
        platform::futex_wait(served_, served);
      }
    }

   private:
    // Returns its number.
    std::uint32_t request() {
      const std::uint32_t number = requested_.load(std::memory_order_relaxed) + 1;
      requested_.store(number, std::memory_order_release);
      platform::futex_wake(requested_, 1);
      return number;
    }

    void serve() {
      for (std::uint32_t served = 0;;) {
        const std::uint32_t requested = requested_.load(std::memory_order_acquire);
        if (requested == served) {
          platform::futex_wait(requested_, served);
          continue;
        }
        if (ends_.load(std::memory_order_relaxed)) return;
        mutex_->unlock();  // the next holder may make the next request from here on
        served_.store(++served, std::memory_order_release);
        platform::futex_wake(served_, kAll);
      }
    }

    static constexpr int kAll = 1 << 30;

    platform::FutexWord requested_{0};
    platform::FutexWord served_{0};
    platform::Atomic<bool> ends_{false};
    FutexMutex* mutex_ = nullptr;
    platform::Thread thread_;
  };
  struct NoHelper {
    void release(FutexMutex& mutex) { mutex.unlock(); }
  };
  static constexpr bool kHelps = kFault == ForkedFault::kHelper && !kForkedSimulated;

  static std::uint64_t self() {
    const platform::ThreadToken token = platform::this_thread();
    if constexpr (kForkedSimulated) return token;
    if constexpr (kFault == ForkedFault::kTaskNumber) return static_cast<std::uint64_t>(gettid());
    if constexpr (kFault == ForkedFault::kProcessNumber) {
      return token ^ static_cast<std::uint64_t>(getpid()) << 48;
    }
    return token;
  }

  FutexMutex mutex_;
  platform::Atomic<std::uint64_t> owner_{0};
  [[no_unique_address]] std::conditional_t<kHelps, Helper, NoHelper> helper_;
};

}  // namespace lockbench::mutants
