// SPDX-License-Identifier: Apache-2.0

// Threads: the running thread as one word that a lock can store; start of a thread; sleep.
//
// Guarantees   a token is never 0, and no other thread of the process ever has it, not even after
// its
//              thread has ended: a lock that stores its owner's token never takes a new thread for
//              an owner that ended. It is read in under 1 ns, without a system call. A child of
//              fork() goes on with the token of the thread that called it.
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
//              of the objects uses work. On Linux a debug build (without NDEBUG) prints a warning
//              when the second copy is loaded. On Windows each DLL has a copy.
#pragma once

#include "primitives/platform/system.h"

#if defined(LOCKBENCH_SIMULATE)
#include "primitives/platform/simulated/thread.h"
#else

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "primitives/platform/clock.h"
#if !defined(NDEBUG) && defined(LOCKBENCH_ON_LINUX)
#include "primitives/platform/one_copy.h"
#endif

namespace lockbench::platform {

using ThreadToken = std::uint64_t;

inline constexpr ThreadToken kNoThread = 0;

namespace internal {

// Tokens count up from a position that the variable's address decides. Two copies of the variable
// (see above) so count from positions that lie far apart: if both began at 1, a thread would be
// taken for another one, and locks would not exclude; this way a thread only has two tokens.
[[gnu::visibility("default"), gnu::noinline, gnu::cold]] inline ThreadToken
next_thread_token() noexcept {
  static constinit std::atomic<ThreadToken> threads{0};
  // An odd multiplier: different addresses give different positions (R. Steele, D. Lea, C. Flood,
  // "Fast splittable pseudorandom number generators", 2014).
  const ThreadToken first = reinterpret_cast<std::uintptr_t>(&threads) * 0x9e3779b97f4a7c15u;
  ThreadToken token = kNoThread;
  while (token == kNoThread) {
    token = first + threads.fetch_add(1, std::memory_order_relaxed);  // relaxed: the number alone
  }
  return token;
}

}  // namespace internal

// In a shared object, a variable of a thread is usually found by a call, 2 ns that the compiler
// repeats after each atomic access. With this TLS model it is a load. The C library must then have
// room for it beside the variables of the program: glibc has for objects that dlopen() loads, too.
// Not in instrumented code: by that call, a simulation gives each of its threads a variable of its
// own.
#if defined(__GLIBC__) && !defined(__SANITIZE_THREAD__) && !defined(LOCKBENCH_INSTRUMENTED)
#define LOCKBENCH_TOKEN_TLS_MODEL [[gnu::tls_model("initial-exec")]]
#else
#define LOCKBENCH_TOKEN_TLS_MODEL
#endif

// Numbered at the first call. The address of a thread's own variable would be unique only among the
// threads that live; 64 bits last 500 years if a thread is made each nanosecond.
[[gnu::visibility("default")]] inline ThreadToken this_thread() noexcept {
  LOCKBENCH_TOKEN_TLS_MODEL static constinit thread_local ThreadToken self = kNoThread;
  if (self == kNoThread) [[unlikely]]
    self = internal::next_thread_token();
  return self;
}
#undef LOCKBENCH_TOKEN_TLS_MODEL

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

// How many slots a table of the process has: the number that the lock asks for. (In a simulation
// two, so that locks share a slot.)
constexpr std::size_t table_size(std::size_t usual) noexcept {
  return usual;
}

}  // namespace lockbench::platform

#endif
