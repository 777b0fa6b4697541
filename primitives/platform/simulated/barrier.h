// SPDX-License-Identifier: Apache-2.0

// Simulated asymmetric barriers: the light one leaves stores in the buffer, the heavy one empties
// the buffers of all.
#pragma once

#include "primitives/platform/simulated/hooks.h"

namespace lockbench::platform {

inline bool has_heavy_barrier() noexcept {
  return true;
}
inline void light_barrier() noexcept {}
inline void heavy_barrier() noexcept {
  simulated::fence_all_threads();
}

}  // namespace lockbench::platform
