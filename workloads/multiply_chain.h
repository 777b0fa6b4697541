// SPDX-License-Identifier: Apache-2.0

// multiply_chain(): work whose length is a number of steps. A thread that loses its processor, or
// has a slow one, takes longer for it, as it does for a program's own work.
#pragma once

#include <cstdint>

#include "primitives/platform/spin.h"

namespace lockbench {

// Each step needs the result of the one before it. A step therefore takes about 4 cycles on any
// core, whatever runs on the sibling hardware thread. With a fence at both ends, so that nothing
// before or after it runs beside it. Not inlined, so that the speed that was measured of one caller
// is that of every caller.
[[gnu::noinline]] inline void multiply_chain(std::uint64_t steps) {
  platform::execution_fence();
  std::uint64_t x = steps | 1;
  for (; steps != 0; --steps) {
    x *= 0xd1342543de82ef95;
    asm volatile("" : "+r"(x));  // keeps every step, and its order
  }
  platform::execution_fence();
}

}  // namespace lockbench
