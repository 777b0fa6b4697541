// SPDX-License-Identifier: Apache-2.0

// ArrivalLock: serves those who wait in the order in which they came; and what becomes of it when
// it serves them in another one.
#pragma once

#include <list>
#include <mutex>

#include "primitives/concepts.h"
#include "primitives/platform/mutex.h"

namespace lockbench::mutants {

enum class ArrivalFault {
  kNone,
  kLastFirst,    // whoever came last
  kSecondFirst,  // whoever came second, where there are two
  kAnybody,      // whoever looks first when all are told
  kNewcomer,     // who comes before the first one that waits has woken up
};

template <ArrivalFault kFault>
class ArrivalLock {
 public:
  static constexpr Promises kPromises{.fair = true};

  void lock() {
    std::unique_lock guard(mutex_);
    if (!held_) {
      held_ = true;
      return;
    }
    const auto mine = waiters_.emplace(waiters_.end());
    if constexpr (kTellsOnly) {
      while (held_) mine->told.wait(guard);
      held_ = true;
    } else {
      while (!mine->granted) mine->told.wait(guard);
    }
    waiters_.erase(mine);
  }

  bool try_lock() {
    const std::scoped_lock guard(mutex_);
    if (held_) return false;
    return held_ = true;
  }

  void unlock() {
    const std::scoped_lock guard(mutex_);
    if constexpr (kFault == ArrivalFault::kNewcomer) {
      held_ = false;
      if (!waiters_.empty()) waiters_.front().told.notify_one();
      return;
    }
    if constexpr (kFault == ArrivalFault::kAnybody) {
      held_ = false;
      for (auto one = waiters_.rbegin(); one != waiters_.rend(); ++one) one->told.notify_one();
      return;
    }
    Waiter* const next = chosen();
    if (next == nullptr) {
      held_ = false;
      return;
    }
    next->granted = true;
    next->told.notify_one();
  }

 private:
  // Whether a release leaves the lock free, and those who are told of it take it themselves.
  static constexpr bool kTellsOnly =
      kFault == ArrivalFault::kAnybody || kFault == ArrivalFault::kNewcomer;

  struct Waiter {
    bool granted = false;
    platform::ConditionVariable told;
  };

  // Under the mutex.
  Waiter* chosen() {
    Waiter* found = nullptr;
    int place = 0;
    for (Waiter& waiter : waiters_) {
      if (waiter.granted) continue;
      const bool better = kFault == ArrivalFault::kLastFirst ||
                          (kFault == ArrivalFault::kSecondFirst && place == 1);
      if (found == nullptr || better) found = &waiter;
      ++place;
    }
    return found;
  }

  platform::Mutex mutex_;
  std::list<Waiter> waiters_;
  bool held_ = false;
};

}  // namespace lockbench::mutants
