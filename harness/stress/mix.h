// SPDX-License-Identifier: Apache-2.0

// mix: hashes a number, so that each bit of the result depends on all bits of the input.
#pragma once

#include <cstdint>

namespace lockbench::stress {

// This is the finalizer of MurmurHash3 by A. Appleby. It is a bijection and maps 0 to 0.
constexpr std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

}  // namespace lockbench::stress
