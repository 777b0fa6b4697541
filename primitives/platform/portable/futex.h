// SPDX-License-Identifier: Apache-2.0

// The futex of systems that offer none, or whose futex was not tried: a table of parking buckets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/errno.h"
#include "primitives/platform/one_platform.h"
#include "primitives/platform/portable/parking_table.h"

namespace lockbench::platform {

using FutexWord = Atomic<std::uint32_t>;

namespace internal {

// Never destroyed: destructors of other static objects may use locks.
[[gnu::visibility("default")]] inline ParkingTable& parking_table() noexcept {
  alignas(ParkingTable) static std::array<std::byte, sizeof(ParkingTable)> memory;
  static ParkingTable* const table = new (memory.data()) ParkingTable;
  return *table;
}

}  // namespace internal

inline bool futex_wait(const FutexWord& word, std::uint32_t expected,
                       Time deadline = kForever) noexcept {
  const KeptErrno kept;
  return internal::parking_table().wait(word, expected, deadline);
}

inline void futex_wake(const FutexWord& word, int count) noexcept {
  const KeptErrno kept;
  internal::parking_table().wake(word, count);
}

}  // namespace lockbench::platform
