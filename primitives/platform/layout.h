// SPDX-License-Identifier: Apache-2.0

// Layout constants that data structures are padded to.
#pragma once

#include <cstddef>

namespace lockbench::platform {

// Bytes that one core takes from another at once. Fixed, not
// std::hardware_destructive_interference_size: that constant changes with compiler flags, and with
// it the layout of every padded type. Two lines (128 bytes, for the adjacent-line prefetcher) were
// measured and bought nothing over one.
inline constexpr std::size_t kCacheLine = 64;

}  // namespace lockbench::platform
