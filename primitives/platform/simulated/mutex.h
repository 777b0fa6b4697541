// SPDX-License-Identifier: Apache-2.0

// Simulated mutex and condition variable, on the simulated futex. Correct by being plain: three
// states, no spinning. On the model of a machine (LOCKBENCH_MACHINE_MODEL), a notice calls the
// kernel only if a thread waits that no earlier notice was for, as that of the C library does.
// Source: T. Riegel, the condition variable of glibc 2.25, 2016.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "primitives/platform/atomic.h"
#include "primitives/platform/simulated/futex.h"
#include "primitives/platform/simulated/hooks.h"

namespace lockbench::platform {

class Mutex {
 public:
  void lock() {
    if (try_lock()) return;
    while (word_.exchange(2, std::memory_order_acquire) != 0) futex_wait(word_, 2);
    simulated::note_mutex(&word_, true);
  }
  bool try_lock() {
    std::uint32_t seen = 0;
    if (!word_.compare_exchange_strong(seen, 1, std::memory_order_acquire)) return false;
    simulated::note_mutex(&word_, true);
    return true;
  }
  void unlock() {
    simulated::note_mutex(&word_, false);
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
    count_in();
    lock.unlock();
    const bool in_time = futex_wait(notices_, seen, deadline);
    lock.lock();
    count_out();
    return in_time;
  }

#if defined(LOCKBENCH_MACHINE_MODEL)
  // Under the lock, so that a thread which notifies after it has changed what is waited for sees
  // it.
  void count_in() {
    counts_.fetch_add(kWaiting, std::memory_order_relaxed);
  }

  // A thread whose time was up, or that found notices_ changed by a notice for another, may leave
  // in the other's place: the sums are right.
  void count_out() {
    change_counts([](std::uint32_t counts) {
      return counts >= kNotified ? counts - kNotified : counts - kWaiting;
    });
  }

  // Returns whether there was one, of at most `most`.
  bool take_waiters(std::uint32_t most) {
    const std::uint32_t before = change_counts([most](std::uint32_t counts) {
      return counts + std::min(counts % kNotified, most) * (kNotified - kWaiting);
    });
    return before % kNotified != 0;
  }

  template <class Change>
  std::uint32_t change_counts(Change change) {
    std::uint32_t seen = counts_.load(std::memory_order_relaxed);
    while (change(seen) != seen &&
           !counts_.compare_exchange_weak(seen, change(seen), std::memory_order_relaxed)) {
    }
    return seen;
  }
#else
  static void count_in() {}
  static void count_out() {}
  static bool take_waiters(std::uint32_t) {
    return true;
  }
#endif

  void notify(int count) noexcept {
    if (!take_waiters(static_cast<std::uint32_t>(count))) return;
    notices_.fetch_add(1, std::memory_order_relaxed);
    futex_wake(notices_, count);
  }

  FutexWord notices_{0};
#if defined(LOCKBENCH_MACHINE_MODEL)
  // Each thread inside of wait() is counted once: as one that no notice was for, or one that a
  // notice was for.
  static constexpr std::uint32_t kWaiting = 1;
  static constexpr std::uint32_t kNotified = 1 << 16;
  FutexWord counts_{0};
#endif
};

}  // namespace lockbench::platform
