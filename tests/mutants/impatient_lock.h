// SPDX-License-Identifier: Apache-2.0

// ImpatientLock: a futex lock whose waiters, broken, take the lock after they have waited for some
// time, as if its holder had died.
#pragma once

#include <cstdint>

#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/futex.h"
#include "tests/mutants/bases.h"

namespace lockbench::mutants {

// With 0, they never do.
template <std::int64_t kPatienceMs>
class ImpatientLock : public SleepersWord {
 public:
  void lock() {
    if (try_lock()) return;
    const platform::Time end = kPatienceMs == 0
                                   ? platform::kForever
                                   : platform::now() + platform::Duration(kPatienceMs * 1'000'000);
    while (word_.exchange(kWaiters, std::memory_order_acquire) != kFree) {
      if (!platform::futex_wait(word_, kWaiters, end)) return;
    }
  }
};

}  // namespace lockbench::mutants
