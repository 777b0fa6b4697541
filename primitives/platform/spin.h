// SPDX-License-Identifier: Apache-2.0

// The acts of a thread between two looks at a word that it waits for.
#pragma once

#if defined(LOCKBENCH_SIMULATE)
#include "primitives/platform/simulated/spin.h"
#else

#include <cstdint>
#include <thread>

#if defined(__x86_64__) || defined(__i386__)
#include <emmintrin.h>  // and not <immintrin.h>, which is 1.9 MB
#endif

#if defined(__has_feature)
#define LOCKBENCH_HAS_THREAD_SANITIZER __has_feature(thread_sanitizer)
#else
#define LOCKBENCH_HAS_THREAD_SANITIZER 0
#endif

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

// A counter that tells an access that hits the core's cache from one that does not, in a unit of
// its own, read in 10 to 30 ns: the time stamp counter of x86-64. What is between two calls is done
// between them. A thread that the kernel moves may read the counter of another processor, so
// nothing may depend on it. kHasTicks: there is one. The clock of other processors is too coarse or
// too slow, and an instrumented build, which simulations run, must do the same thing twice.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_THREAD__) && \
    !LOCKBENCH_HAS_THREAD_SANITIZER
inline constexpr bool kHasTicks = true;
inline std::uint64_t ticks() noexcept {
  execution_fence();
  const std::uint64_t now = __builtin_ia32_rdtsc();
  execution_fence();
  return now;
}
#else
inline constexpr bool kHasTicks = false;
constexpr std::uint64_t ticks() noexcept {
  return 0;
}
#endif

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
