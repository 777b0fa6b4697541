// SPDX-License-Identifier: Apache-2.0

// ArrivalLock: grants the lock to its waiters in the order of their arrival; the faults grant it in
// another order.
#pragma once

#include <list>
#include <mutex>

#include "primitives/concepts.h"
#include "primitives/platform/mutex.h"
#include "tests/mutants/bases.h"

namespace lockbench::mutants {

enum class ArrivalFault {
  kNone,
  kLastFirst,    // the last waiter to arrive
  kSecondFirst,  // the second waiter to arrive, if there are two
  kAnybody,      // all waiters are woken, and the first that looks takes the lock
  kNewcomer,     // a thread that arrives before the first waiter has woken up
};

template <ArrivalFault kFault>
class ArrivalLock : public MutexAndFlag {
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
  // True if a release leaves the lock free and wakes waiters, which take it themselves.
  static constexpr bool kTellsOnly =
      kFault == ArrivalFault::kAnybody || kFault == ArrivalFault::kNewcomer;

  struct Waiter {
    bool granted = false;
    platform::ConditionVariable told;
  };

  // Under the mutex.
  Waiter* chosen() {
    Waiter* found = nullptr;
    int position = 0;
    for (Waiter& waiter : waiters_) {
      if (waiter.granted) continue;
      const bool better = kFault == ArrivalFault::kLastFirst ||
                          (kFault == ArrivalFault::kSecondFirst && position == 1);
      if (found == nullptr || better) found = &waiter;
      ++position;
    }
    return found;
  }

  std::list<Waiter> waiters_;
};

}  // namespace lockbench::mutants
