// SPDX-License-Identifier: Apache-2.0

// What a thread does between two looks at a word that it waits for.
#pragma once

#if defined(LOCKBENCH_SIMULATE)
#include "primitives/platform/simulated/spin.h"
#else

#include <cstdint>
#include <thread>

#if defined(__x86_64__) || defined(__i386__)
#include <emmintrin.h>  // and not <immintrin.h>, which is 1.9 MB
#endif

#include "primitives/platform/clock.h"

namespace lockbench::platform {

// A hint to the core for a spin loop: frees execution slots of a sibling hardware thread and
// avoids the pipeline flush when the word changes. About 24 ns on x86-64 since Skylake.
inline void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

// Waits until every earlier instruction has completed, and starts no later one before. For code
// that measures or spends time; it orders no memory for other threads. 2-10 ns.
inline void execution_fence() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  _mm_lfence();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

// A counter for times below some microseconds, in a unit of its own. What is between two calls is
// done between them. x86-64: the time stamp counter, 10 to 30 ns; else the clock. A thread that the
// kernel moves may read a value of another counter: it orders nothing, and nothing may depend on
// it.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__) && defined(__GNUC__)
  execution_fence();
  const std::uint64_t now = __builtin_ia32_rdtsc();
  execution_fence();
  return now;
#else
  return static_cast<std::uint64_t>(platform::now().time_since_epoch().count());
#endif
}

// How often a bounded spin reads before it gives up: the number that the lock asks for. (In a
// simulation once: the scheduler, not the count, decides which thread comes in time.)
constexpr int spins(int usual) noexcept {
  return usual;
}

// Gives the rest of the time slice to another runnable thread, if there is one. About 0.2 us.
inline void yield() noexcept {
  std::this_thread::yield();
}

// How many threads can run at once, at least 1. A system call or more.
inline unsigned processors() noexcept {
  const unsigned known = std::thread::hardware_concurrency();
  return known == 0 ? 1 : known;
}

}  // namespace lockbench::platform

#endif
