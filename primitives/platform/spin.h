// SPDX-License-Identifier: Apache-2.0

// What a thread does between two looks at a word that it waits for.
#pragma once

#if defined(LOCKBENCH_SIMULATE)
#include "primitives/platform/simulated/spin.h"
#else

#include <thread>

#if defined(__x86_64__) || defined(__i386__)
#include <emmintrin.h>  // and not <immintrin.h>, which is 1.9 MB
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

// How often a bounded spin reads before it gives up: the number that the lock asks for. (In a
// simulation once: the scheduler, not the count, decides which thread comes in time.)
constexpr int spins(int usual) noexcept {
  return usual;
}

// Gives the rest of the time slice to another runnable thread, if there is one. About 0.2 us.
inline void yield() noexcept {
  std::this_thread::yield();
}

}  // namespace lockbench::platform

#endif
