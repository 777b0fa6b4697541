// SPDX-License-Identifier: Apache-2.0

// Ticks: the cheapest clock of the processor that all its cores share.
#pragma once

#include <cstdint>
#include <ctime>

namespace lockbench::observe {

inline std::uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

inline std::uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t count = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#else
  return monotonic_ns();
#endif
}

}  // namespace lockbench::observe
