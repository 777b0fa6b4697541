// SPDX-License-Identifier: Apache-2.0

// Simulated spinning. In a search for wrong interleavings, to look again is of no use before
// another thread has done something. On the model of a machine (LOCKBENCH_MACHINE_MODEL), each
// pause takes its time, and threads spin as often as they do in a normal build.
#pragma once

#include <cstdint>

#include "primitives/platform/simulated/hooks.h"
#if defined(LOCKBENCH_MACHINE_MODEL)
#include "primitives/platform/simulated/machine_hooks.h"
#endif

namespace lockbench::platform {

inline void pause() noexcept {
  simulated::pause();
}
inline void execution_fence() noexcept {}

#if defined(LOCKBENCH_MACHINE_MODEL)
inline constexpr bool kHasTicks = true;
inline std::uint64_t ticks() noexcept {
  return simulated::ticks();
}
inline void yield() noexcept {
  simulated::yield();
}
inline unsigned processors() noexcept {
  return simulated::processors();
}
constexpr int spins(int usual) noexcept {
  return usual;
}
#else
inline constexpr bool kHasTicks = false;
constexpr std::uint64_t ticks() noexcept {
  return 0;
}
inline void yield() noexcept {
  simulated::pause();
}
constexpr unsigned processors() noexcept {
  return 1;
}
constexpr int spins(int usual) noexcept {
  return usual < 1 ? usual : 1;
}
#endif

}  // namespace lockbench::platform
