// SPDX-License-Identifier: Apache-2.0

// Mutex and ConditionVariable: the standard ones, for algorithms that use them in their
// description.
//
// Guarantees   exactly std::mutex and std::condition_variable, at no cost.
// Why it is here  the forms that others published lean on such types of their language. Through
//              this seam a scheduler can decide their interleavings as it does those of our own.
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
