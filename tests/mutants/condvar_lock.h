// SPDX-License-Identifier: Apache-2.0

// CondvarLock: a flag under a mutex and a condition variable; and variants with one
// fault each.
#pragma once

#include <mutex>

#include "primitives/platform/mutex.h"
#include "tests/mutants/bases.h"

namespace lockbench::mutants {

enum class CondvarFault {
  kNone,
  kIfForWhile,       // believes a wake-up
  kNotifiesOutside,  // notifies before it says that the lock is free
};

template <CondvarFault kFault>
class CondvarLock : public MutexAndFlag {
 public:
  void lock() {
    std::unique_lock guard(mutex_);
    if constexpr (kFault == CondvarFault::kIfForWhile) {
      if (held_) free_.wait(guard);
    } else {
      while (held_) free_.wait(guard);
    }
    held_ = true;
  }

  void unlock() {
    if constexpr (kFault == CondvarFault::kNotifiesOutside) free_.notify_one();
    {
      const std::scoped_lock guard(mutex_);
      held_ = false;
    }
    if constexpr (kFault != CondvarFault::kNotifiesOutside) free_.notify_one();
  }

 private:
  platform::ConditionVariable free_;
};

}  // namespace lockbench::mutants
