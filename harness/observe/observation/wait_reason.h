// SPDX-License-Identifier: Apache-2.0

// WaitReason: what a thread that sleeps in a futex waits for, by the functions on its stack. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/observe/observation/observation.h"

namespace lockbench {

// By the C library's function that waits.
enum class WaitKind {
  kUnknown,    // it is none of these: FutexUse decides (futex_use.h)
  kLock,       // a mutex, or a lock for readers and writers
  kEvent,      // the end of a thread, a barrier
  kCondition,  // a condition, and then the mutex again
};

struct WaitReason {
  WaitKind kind = WaitKind::kUnknown;
  // The position of the caller that neither is of a library of the system nor only wraps a lock.
  std::size_t caller = 0;
  // Those behind the system's libraries, innermost first, as use_of_futex() takes them.
  std::vector<std::string> functions = {};
};

// `callers`: innermost first.
WaitReason wait_reason(const std::vector<CodeLocation>& callers);

}  // namespace lockbench
