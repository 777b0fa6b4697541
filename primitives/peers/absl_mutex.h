// SPDX-License-Identifier: Apache-2.0

// AbslMutex: absl::Mutex under the standard's names.
//
// Guarantees   mutual exclusion between threads.
// Not offered  recursion; timeouts: absl::Mutex gives up on a condition, not on the lock itself.
#pragma once

#include "absl/synchronization/mutex.h"

namespace lockbench {

class AbslMutex {
 public:
  void lock() { mutex_.Lock(); }
  bool try_lock() { return mutex_.TryLock(); }
  void unlock() { mutex_.Unlock(); }

 protected:
  absl::Mutex mutex_;
};

}  // namespace lockbench
