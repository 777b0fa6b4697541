// SPDX-License-Identifier: Apache-2.0

// Mutex and ConditionVariable: the standard ones, for algorithms that use them in their
// description.
//
// Guarantees   exactly std::mutex and std::condition_variable, at no cost.
// Purpose      published algorithms use such types of their language. With these types, a
//              scheduler can decide their interleavings, as it does for our own locks.
// Not offered  use in our own locks: those wait with Atomic and futex_wait().
#pragma once

#include <condition_variable>
#include <mutex>

#if defined(LOCKBENCH_SIMULATE)
#include "primitives/platform/simulated/mutex.h"
#else

namespace lockbench::platform {

using Mutex = std::mutex;
using ConditionVariable = std::condition_variable;

}  // namespace lockbench::platform

#endif
