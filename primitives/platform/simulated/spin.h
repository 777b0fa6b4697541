// SPDX-License-Identifier: Apache-2.0

// Simulated spinning: to look again is of no use before another thread has done something.
#pragma once

#include "primitives/platform/simulated/hooks.h"

namespace lockbench::platform {

inline void pause() noexcept {
  simulated::pause();
}
inline void yield() noexcept {
  simulated::pause();
}
inline void execution_fence() noexcept {}
constexpr int spins(int usual) noexcept {
  return usual < 1 ? usual : 1;
}

}  // namespace lockbench::platform
