// SPDX-License-Identifier: Apache-2.0

// Memory orders of the standard library's own code that is compiled into a lock, where the library
// names a weaker one than its contract needs.
//
// libstdc++ keeps a lock bit in each std::atomic<std::shared_ptr>. load() reads a plain pointer
// under that lock and gives it back by a relaxed decrement, so nothing orders this read before the
// plain write of a later store() (bits/shared_ptr_atomic.h, g++ 12 to 14). The standard says that
// these two do not race, and a lock that uses them cannot do anything about it. So the decrement
// counts as a release. A lock that makes or destroys such an object beside its use races all the
// same.
#pragma once

#include <atomic>

namespace lockbench::stress::explore {

// The order of a read-modify-write of a pointer's size at this return address, in instrumented
// code. Without debug information it is always `own`.
std::memory_order order_of_library(const void* return_address, std::memory_order own);

}  // namespace lockbench::stress::explore
