// SPDX-License-Identifier: Apache-2.0

// No asymmetric barriers: as on a kernel without membarrier.
//
// Windows has FlushProcessWriteBuffers(), which is a heavy barrier. It is not used: in wine 8 it
// returns without doing anything, and a program cannot find that out.
#pragma once

#include "primitives/platform/failure.h"

namespace lockbench::platform {

inline bool has_heavy_barrier() noexcept {
  return false;
}
inline void light_barrier() noexcept {}
inline void heavy_barrier() noexcept {
  abort_with("heavy_barrier() was called where has_heavy_barrier() is false");
}

}  // namespace lockbench::platform
