// SPDX-License-Identifier: Apache-2.0

// AbslSharedMutex: absl::Mutex with its reader side, under the standard's names.
//
// Guarantees   an exclusive hold is the only hold.
// Not offered  recursion; timeouts: absl::Mutex gives up on a condition, not on the lock itself.
#pragma once

#include "primitives/peers/absl_mutex.h"

namespace lockbench {

// Not AbslMutex itself: a lock with a shared side is measured with it, and as `absl` it is the
// exclusive side of absl::Mutex that is compared.
class AbslSharedMutex : public AbslMutex {
 public:
  void lock_shared() { mutex_.ReaderLock(); }
  bool try_lock_shared() { return mutex_.ReaderTryLock(); }
  void unlock_shared() { mutex_.ReaderUnlock(); }
};

}  // namespace lockbench
