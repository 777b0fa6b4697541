// SPDX-License-Identifier: Apache-2.0

// Table size: how many entries a table has, from the number that a program asks for.
//
// Guarantees   a number that no memory can hold, for example -1 as std::size_t, is refused. `new`
//              alone does not do that: for types with an alignment of their own, GCC 12 rounds the
//              size of too long an array up to 0, and returns memory for nothing.
#pragma once

#include <bit>
#include <cstddef>

#include "primitives/internal/misuse.h"

namespace lockbench::internal {

inline constexpr bool kHas64Bits = sizeof(std::size_t) == 8;
inline constexpr std::size_t kMostEntries = std::size_t{1} << (kHas64Bits ? 40 : 24);

// `entries`; throws std::invalid_argument if there are too many.
inline std::size_t table_size(std::size_t entries) {
  require_argument(entries <= kMostEntries, kHas64Bits
                                                ? "a table of locks: it has at most 2^40 entries"
                                                : "a table of locks: it has at most 2^24 entries");
  return entries;
}

// The same, rounded up to a power of two and less one: the bits of a hash that choose the entry.
inline std::size_t table_mask(std::size_t entries) {
  return std::bit_ceil(table_size(entries)) - 1;
}

}  // namespace lockbench::internal
