// SPDX-License-Identifier: Apache-2.0

// Lengths of timeouts that a lock may compute with wrongly: those that become short, or negative,
// where it keeps them in too few bits, and those beside the bounds of a unit.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace lockbench::stress {

// What remains of a timeout that is cut to 32 bits.
inline constexpr std::chrono::milliseconds kShortOfTimeout{5};

inline constexpr std::chrono::nanoseconds kTimeoutsOfMoreBits[] = {
    // kShortOfTimeout in 32 bits of nanoseconds, microseconds or milliseconds
    std::chrono::milliseconds(std::int64_t{1} << 32) + kShortOfTimeout,
    // less than nothing in a signed number of milliseconds
    std::chrono::milliseconds(std::int64_t{1} << 31) + kShortOfTimeout,
    // the same of microseconds
    std::chrono::microseconds(std::int64_t{1} << 31) + kShortOfTimeout,
    // the same of seconds
    std::chrono::seconds(std::int64_t{1} << 31) + kShortOfTimeout,
};

// In nanoseconds: 1, the units, a day, a year, and 2^31 and 2^32 of each unit below a second, each
// with its neighbours. All of them together are less than the years that 64 bits have. Such a wait
// ends in a simulation alone.
inline constexpr auto kTimeoutsBesideBounds = [] {
  constexpr std::int64_t kSecond = 1'000'000'000;
  constexpr std::int64_t kDay = 86'400 * kSecond;
  std::array<std::int64_t, 30> lengths{1, kSecond - 1, kSecond, kSecond + 1, kDay, 365 * kDay};
  std::size_t next = 6;
  for (const std::int64_t unit : {1, 1'000, 1'000'000}) {
    for (const int bits : {31, 32}) {
      const std::int64_t bound = (std::int64_t{1} << bits) * unit;
      for (const std::int64_t off : {-unit, std::int64_t{0}, unit}) lengths[next++] = bound + off;
    }
    lengths[next++] = unit == 1 ? 2 : unit;
    lengths[next++] = unit == 1 ? 999 : unit - 1;
  }
  return lengths;
}();

// The same of seconds, which have no room beside each other.
inline constexpr std::int64_t kTimeoutsOfManySeconds[] = {
    (std::int64_t{1} << 31) - 1, std::int64_t{1} << 31, (std::int64_t{1} << 32) - 1,
    std::int64_t{1} << 32};

}  // namespace lockbench::stress
