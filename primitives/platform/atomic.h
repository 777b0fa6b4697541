// SPDX-License-Identifier: Apache-2.0

// Atomic: the only atomic type that our own primitives use.
//
// Guarantees   exactly std::atomic, at no cost.
// Why it is here  every shared access of a primitive goes through primitives/platform/, so that one
//              build can hand the same source to a scheduler that decides each interleaving.
#pragma once

#include <atomic>

#if defined(LOCKBENCH_SIMULATE)
#include "primitives/platform/simulated/atomic.h"
#else

namespace lockbench::platform {

template <class T>
using Atomic = std::atomic<T>;

}  // namespace lockbench::platform

#endif
