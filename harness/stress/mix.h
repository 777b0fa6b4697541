// SPDX-License-Identifier: Apache-2.0

// mix: a number whose bits all depend on all bits of another one.
#pragma once

#include <cstdint>

namespace lockbench::stress {

// The finalizer of MurmurHash3, by A. Appleby. A bijection; 0 stays 0.
constexpr std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

}  // namespace lockbench::stress
