// SPDX-License-Identifier: Apache-2.0

// Watchdog: a thread that runs a function once, after a given time, unless it is cancelled before.
//
// Guarantees   the alarm runs at most once for each start(), on a thread of its own; when the
//              destructor returns, the alarm has ended or will never begin.
// Not offered  low cost: every start() creates a thread.
// Requires     start() and the destructor on one thread; call_off() on any thread, also that of the
//              alarm.
// Source       the Python library's documentation of threading.Timer.
#pragma once

#include <mutex>
#include <utility>

#include "primitives/platform/clock.h"
#include "primitives/platform/mutex.h"
#include "primitives/platform/thread.h"

namespace lockbench::internal {

class Watchdog {
 public:
  Watchdog() = default;
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  ~Watchdog() {
    call_off();
    join();
  }

  // Waits for the end of the previous alarm, if there was one.
  template <class Alarm>
  void start(platform::Duration after, Alarm alarm) {
    call_off();
    join();
    called_off_ = false;
    thread_ = platform::Thread([this, deadline = platform::now() + after,
                                alarm = std::move(alarm)] { watch(deadline, alarm); });
  }

  // An alarm that has begun continues.
  void call_off() {
    std::unique_lock guard(mutex_);
    called_off_ = true;
    changed_.notify_one();
  }

 private:
  template <class Alarm>
  void watch(platform::Time deadline, const Alarm& alarm) {
    {
      std::unique_lock guard(mutex_);
      if (changed_.wait_until(guard, deadline, [this] { return called_off_; })) return;
    }
    alarm();
  }

  void join() {
    if (thread_.joinable()) thread_.join();
  }

  platform::Mutex mutex_;
  platform::ConditionVariable changed_;
  bool called_off_ = false;
  platform::Thread thread_;
};

}  // namespace lockbench::internal
