// SPDX-License-Identifier: Apache-2.0

// Timeouts that become short, or negative, where a lock keeps them in too few bits.
#pragma once

#include <chrono>
#include <cstdint>

namespace lockbench::stress {

// What remains of a timeout that is cut to 32 bits.
inline constexpr std::chrono::milliseconds kShortOfTimeout{5};

inline constexpr std::chrono::nanoseconds kTimeoutsOfMoreBits[] = {
    // kShortOfTimeout in 32 bits of nanoseconds, microseconds or milliseconds
    std::chrono::milliseconds(std::int64_t{1} << 32) + kShortOfTimeout,
    // less than nothing in a signed number of milliseconds
    std::chrono::milliseconds(std::int64_t{1} << 31) + kShortOfTimeout,
    // less than nothing in a signed number of seconds
    std::chrono::seconds(std::int64_t{1} << 31) + kShortOfTimeout,
};

}  // namespace lockbench::stress
