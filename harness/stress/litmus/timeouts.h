// SPDX-License-Identifier: Apache-2.0

// Timeouts that become short, or negative, where a lock keeps them in too few bits.
#pragma once

#include <chrono>
#include <cstdint>

namespace lockbench::stress {

// What remains of a timeout that is cut to 32 bits.
inline constexpr std::chrono::milliseconds kShortOfTimeout{5};

// With and without a sign, in nanoseconds, microseconds, milliseconds, and seconds: the lower 32
// bits of the first are kShortOfTimeout in each of the smaller units.
inline constexpr std::chrono::nanoseconds kTimeoutsOfMoreBits[] = {
    std::chrono::milliseconds(std::int64_t{1} << 32) + kShortOfTimeout,
    std::chrono::milliseconds(std::int64_t{1} << 31) + kShortOfTimeout,
    std::chrono::seconds(std::int64_t{1} << 31) + kShortOfTimeout,
};

}  // namespace lockbench::stress
