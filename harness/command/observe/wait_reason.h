// SPDX-License-Identifier: Apache-2.0

// WaitReason: what a thread that sleeps in a futex waits for, by the functions on its stack. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/command/observe/observation.h"

namespace lockbench {

enum class WaitKind {
  kUnknown,    // who wakes the thread has to say
  kLock,       // another thread's release
  kEvent,      // what another thread does: the end of a thread, a barrier, a notification
  kCondition,  // the same, and then the mutex again
};

struct WaitReason {
  WaitKind kind = WaitKind::kUnknown;
  // The first caller that neither is of a library of locks nor only wraps a lock; the number of
  // callers if there is none.
  std::size_t caller = 0;
};

// `callers`: innermost first.
WaitReason wait_reason(const std::vector<CodePlace>& callers);

}  // namespace lockbench
