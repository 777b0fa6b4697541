// SPDX-License-Identifier: Apache-2.0

// Threads: the running thread as one word that a lock can store; start of a thread; sleep.
//
// Guarantees   a token is never 0, is different for any two threads that are alive at once, and is
//              read in under 1 ns, without a system call.
// Not offered  uniqueness over time: a token comes back after its thread has ended.
// Requires     one copy of these variables in the process, if shared objects share locks. They have
//              default visibility, so -fvisibility=hidden does no harm, and g++ has the dynamic
//              linker make them one. The headers cannot ensure it
//              - for objects compiled by clang that are loaded with dlopen(RTLD_LOCAL): load them
//                with RTLD_GLOBAL;
//              - for a program that is linked without -rdynamic (CMake: ENABLE_EXPORTS) and shares
//                locks with objects that it loads with dlopen();
//              - for objects linked with -Bsymbolic, and for those that use different versions of
//                these headers.
//              With two copies a thread has two tokens and waiters have two tables: the owner of a
//              reentrant lock deadlocks with itself, and waiters are not woken. Locks that only one
//              of the objects uses work. A debug build (without NDEBUG) prints a warning when the
//              second copy is loaded.
#pragma once

#if defined(LOCKBENCH_SIMULATE)
#include "primitives/platform/simulated/thread.h"
#else

#include <cstddef>
#include <cstdint>
#include <thread>

#include "primitives/platform/clock.h"
#if !defined(NDEBUG)
#include "primitives/platform/one_copy.h"
#endif

namespace lockbench::platform {

using ThreadToken = std::uintptr_t;

inline constexpr ThreadToken kNoThread = 0;

// The address of a thread's own variable is as unique as the thread.
[[gnu::visibility("default")]] inline ThreadToken this_thread() noexcept {
  static thread_local char self;
  return reinterpret_cast<ThreadToken>(&self);
}

// A thread of a primitive's own, for example one that watches deadlines.
using Thread = std::thread;

inline void sleep_until(Time deadline) {
  std::this_thread::sleep_until(deadline);
}

// The one T of this thread, and the one T of this process, made at the first call. What a lock
// keeps outside of itself goes through these, never through `static` or `thread_local` of its own:
// a simulation starts many times in one process. T has default visibility: else each shared
// object would have a T of its own.
template <class T>
[[gnu::visibility("default")]] T& of_this_thread() {
  static thread_local T own;
  return own;
}

template <class T>
[[gnu::visibility("default")]] T& of_this_process() {
  static T own;
  return own;
}

// How many places a table of the process has: the number that the lock asks for. (In a simulation
// two, so that locks share a place.)
constexpr std::size_t places(std::size_t usual) noexcept {
  return usual;
}

}  // namespace lockbench::platform

#endif
