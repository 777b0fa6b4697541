// SPDX-License-Identifier: Apache-2.0

// HandoverLock: a release hands the lock to its first waiter, whose timeout may end at the same
// time. The variants treat that case differently.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <mutex>

#include "primitives/platform/clock.h"
#include "primitives/platform/mutex.h"
#include "tests/mutants/bases.h"

namespace lockbench::mutants {

enum class HandoverFault {
  kNone,             // a waiter that receives the lock as its timeout ends has it
  kGrantLost,        // that waiter reports a timeout and leaves the lock locked without a holder
  kGivesBack,        // that waiter reports a timeout and hands the lock on: also correct
  kGivesBackUntold,  // the same, but it wakes no waiter
  kEarly,            // rounds a timeout down to whole milliseconds
};

template <HandoverFault kFault>
class HandoverLock : public MutexAndFlag, public WaitsUntil<HandoverLock<kFault>> {
 public:
  bool try_lock_for(std::chrono::nanoseconds timeout) {
    if constexpr (kFault == HandoverFault::kEarly) {
      timeout = std::chrono::floor<std::chrono::milliseconds>(timeout);
    }
    return wait_until(platform::now() + timeout);
  }

  bool wait_until(platform::Time deadline) {
    std::unique_lock guard(mutex_);
    if (!held_) return held_ = true;
    const auto mine = waiters_.emplace(waiters_.end());
    bool in_time = true;
    while (!mine->granted && in_time) in_time = wait_once(*mine, guard, deadline);
    const bool granted = mine->granted;
    if (granted && in_time) return forget(mine);
    return lose_patience(mine);
  }

  void unlock() {
    const std::scoped_lock guard(mutex_);
    hand_on();
  }

 private:
  struct Waiter {
    bool granted = false;
    platform::ConditionVariable told;
  };

  static bool wait_once(Waiter& mine, std::unique_lock<platform::Mutex>& guard,
                        platform::Time deadline) {
    if (deadline == platform::kForever) {
      mine.told.wait(guard);
      return true;
    }
    return mine.told.wait_until(guard, deadline) == std::cv_status::no_timeout;
  }

  using Iterator = typename std::list<Waiter>::iterator;

  bool forget(Iterator mine) {
    granted_.erase(mine);
    return true;
  }

  bool lose_patience(Iterator mine) {
    if (!mine->granted) {
      waiters_.erase(mine);
      return false;
    }
    granted_.erase(mine);
    if constexpr (kFault == HandoverFault::kNone || kFault == HandoverFault::kEarly) return true;
    if constexpr (kFault == HandoverFault::kGivesBack) hand_on();
    if constexpr (kFault == HandoverFault::kGivesBackUntold) held_ = false;
    return false;
  }

  // Under the mutex.
  void hand_on() {
    if (waiters_.empty()) {
      held_ = false;
      return;
    }
    const Iterator first = waiters_.begin();
    granted_.splice(granted_.end(), waiters_, first);
    first->granted = true;
    first->told.notify_one();
  }

  std::list<Waiter> waiters_;
  std::list<Waiter> granted_;  // of the waiters, those who have not looked yet
};

}  // namespace lockbench::mutants
