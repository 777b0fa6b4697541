// SPDX-License-Identifier: Apache-2.0

// GuardedWord: every call, also that of a thread that waits, acquires a guard that spins. So with
// many more threads than processors an unlock() takes seconds: most of the time the guard is held,
// often by a thread that has no processor.
#pragma once

#include <atomic>

#include "primitives/platform/atomic.h"
#include "primitives/platform/spin.h"
#include "tests/mutants/bases.h"

namespace lockbench::mutants {

// kGivesUp: how many times an unlock() tries to acquire the guard; 0: until it does.
template <int kGivesUp>
class GuardedWord : public Spins<GuardedWord<kGivesUp>> {
 public:
  bool try_lock() {
    while (!try_guard()) platform::pause();
    const bool acquired = !held_;
    held_ = true;
    leave_guard();
    return acquired;
  }
  void unlock() {
    for (int tries = 1; !try_guard(); ++tries) {
      if (tries == kGivesUp) return;
      platform::pause();
    }
    held_ = false;
    leave_guard();
  }

 private:
  bool try_guard() { return !guard_.exchange(true, std::memory_order_acquire); }
  void leave_guard() { guard_.store(false, std::memory_order_release); }

  platform::Atomic<bool> guard_{false};
  bool held_ = false;  // under the guard
};

}  // namespace lockbench::mutants
