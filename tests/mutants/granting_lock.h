// SPDX-License-Identifier: Apache-2.0

// GrantingLock: a release grants the lock to a waiter, whose object on the heap belongs to both
// until each has left it; and variants with one fault each.
#pragma once

#include <list>
#include <mutex>

#include "primitives/platform/atomic.h"
#include "primitives/platform/mutex.h"
#include "primitives/platform/spin.h"
#include "tests/mutants/bases.h"

namespace lockbench::mutants {

enum class GrantFault {
  kNone,
  kTouchesLate,  // marks the object after having left it
  kBothFree,     // each of the two frees the object
  kLooksAgain,   // leaves, then checks whether both have left: both threads may see that
};

template <GrantFault kFault>
class GrantingLock : public MutexAndFlag {
 public:
  void lock() {
    Waiter* const mine = queue_up();
    if (mine == nullptr) return;
    while (!mine->granted.load(std::memory_order_acquire)) platform::pause();
    leave(*mine);
  }

  void unlock() {
    Waiter* const next = dequeue();
    if (next == nullptr) return;
    next->granted.store(true, std::memory_order_release);
    if (kFault == GrantFault::kTouchesLate) leave(*next);
    next->told.store(true, std::memory_order_relaxed);
    if (kFault != GrantFault::kTouchesLate) leave(*next);
  }

 private:
  struct Waiter {
    platform::Atomic<bool> granted{false};
    platform::Atomic<bool> told{false};
    platform::Atomic<int> users{2};
  };

  // Null if the lock was free.
  Waiter* queue_up() {
    const std::scoped_lock guard(mutex_);
    if (!held_) {
      held_ = true;
      return nullptr;
    }
    return waiters_.emplace_back(new Waiter);
  }

  // Null if nobody waits.
  Waiter* dequeue() {
    const std::scoped_lock guard(mutex_);
    if (waiters_.empty()) {
      held_ = false;
      return nullptr;
    }
    Waiter* const chosen = waiters_.front();
    waiters_.pop_front();
    return chosen;
  }

  static void leave(Waiter& waiter) {
    Waiter* gone = &waiter;
    asm volatile("" : "+r"(gone));  // else the compiler sees the faults
    bool frees = gone->users.fetch_sub(1, std::memory_order_acq_rel) == 1;
    if constexpr (kFault == GrantFault::kBothFree) frees = true;
    if constexpr (kFault == GrantFault::kLooksAgain) {
      frees = gone->users.load(std::memory_order_acquire) == 0;
    }
    if (frees) delete gone;
  }

  std::list<Waiter*> waiters_;
};

}  // namespace lockbench::mutants
