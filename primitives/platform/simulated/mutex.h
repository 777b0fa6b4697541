// SPDX-License-Identifier: Apache-2.0

// Simulated mutex and condition variable, on the simulated futex. Correct by being plain: three
// states, no spinning. On the model of a machine (LOCKBENCH_PREDICT), a notice that finds no waiter
// calls the kernel as little as that of the C library does. Source: T. Riegel, the condition
// variable of glibc 2.25, 2016.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "primitives/platform/atomic.h"
#include "primitives/platform/futex.h"

namespace lockbench::platform {

class Mutex {
 public:
  void lock() {
    std::uint32_t seen = 0;
    if (word_.compare_exchange_strong(seen, 1, std::memory_order_acquire)) return;
    while (word_.exchange(2, std::memory_order_acquire) != 0) futex_wait(word_, 2);
  }
  bool try_lock() {
    std::uint32_t seen = 0;
    return word_.compare_exchange_strong(seen, 1, std::memory_order_acquire);
  }
  void unlock() {
    if (word_.exchange(0, std::memory_order_release) == 2) futex_wake(word_, 1);
  }

 private:
  FutexWord word_{0};  // 0 free | 1 held | 2 held, and threads may sleep
};

class ConditionVariable {
 public:
  void notify_one() noexcept { notify(1); }
  void notify_all() noexcept { notify(1 << 30); }

  void wait(std::unique_lock<Mutex>& lock) { wait_once(lock, kForever); }

  template <class Ready>
  void wait(std::unique_lock<Mutex>& lock, Ready ready) {
    while (!ready()) wait(lock);
  }

  std::cv_status wait_until(std::unique_lock<Mutex>& lock, Time deadline) {
    return wait_once(lock, deadline) ? std::cv_status::no_timeout : std::cv_status::timeout;
  }

  template <class Ready>
  bool wait_until(std::unique_lock<Mutex>& lock, Time deadline, Ready ready) {
    while (!ready()) {
      if (!wait_once(lock, deadline)) return ready();
    }
    return true;
  }

  template <class Rep, class Period, class Ready>
  bool wait_for(std::unique_lock<Mutex>& lock, std::chrono::duration<Rep, Period> timeout,
                Ready ready) {
    return wait_until(lock, now() + timeout, ready);
  }

 private:
  bool wait_once(std::unique_lock<Mutex>& lock, Time deadline) {
    const std::uint32_t seen = notices_.load(std::memory_order_relaxed);
    count_waiter(1);
    lock.unlock();
    const bool in_time = futex_wait(notices_, seen, deadline);
    lock.lock();
    count_waiter(~std::uint32_t{0});
    return in_time;
  }

  // Under the lock, so that a thread which notifies after it has changed what is waited for sees
  // it.
  void count_waiter([[maybe_unused]] std::uint32_t change) {
#if defined(LOCKBENCH_PREDICT)
    waiters_.fetch_add(change, std::memory_order_relaxed);
#endif
  }

  void notify(int count) noexcept {
#if defined(LOCKBENCH_PREDICT)
    if (waiters_.load(std::memory_order_relaxed) == 0) return;
#endif
    notices_.fetch_add(1, std::memory_order_relaxed);
    futex_wake(notices_, count);
  }

  FutexWord notices_{0};
#if defined(LOCKBENCH_PREDICT)
  FutexWord waiters_{0};
#endif
};

}  // namespace lockbench::platform
