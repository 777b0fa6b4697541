// SPDX-License-Identifier: Apache-2.0

// Locks that only the engine of real threads can take: a broken one that would take a simulation
// down with it, and a correct one that real time alone makes suspicious.
#pragma once

#include <csignal>
#include <cstdint>

#include "primitives/futex_mutex.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/thread.h"

namespace lockbench::mutants {

// Broken: dies at its fourth lock().
class CrashingLock {
 public:
  void lock() {
    mutex_.lock();
    if (++locks_ == 4) std::raise(SIGSEGV);
  }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  FutexMutex mutex_;
  std::uint32_t locks_ = 0;
};

// Broken: its hundredth unlock() never returns, and neither sleeps nor tells.
class EndlessLock {
 public:
  void lock() { mutex_.lock(); }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() {
    if (++unlocks_ == 100) {
      while (forever_.load(std::memory_order_relaxed)) {
      }
    }
    mutex_.unlock();
  }

 private:
  FutexMutex mutex_;
  std::uint32_t unlocks_ = 0;
  platform::Atomic<bool> forever_{true};
};

// Correct, and takes its time.
class SlowLock {
 public:
  void lock() {
    delay_in_signal();
    mutex_.lock();
  }
  bool try_lock() {
    delay_in_signal();
    return mutex_.try_lock();
  }
  void unlock() {
    delay_in_signal();
    mutex_.unlock();
  }

 private:
  static void delay_in_signal() {
    platform::sleep_until(platform::now() + platform::Duration(2'000'000));
  }

  FutexMutex mutex_;
};

}  // namespace lockbench::mutants
