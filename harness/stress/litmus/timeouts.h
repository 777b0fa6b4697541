// SPDX-License-Identifier: Apache-2.0

// Lengths of timeouts that a lock may compute with wrongly: those that become short, or negative,
// where it keeps them in too few bits, and those beside the bounds of a unit.
#pragma once

#include <chrono>
#include <cstdint>

namespace lockbench::stress {

// The remainder of a timeout that is cut to 32 bits.
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

inline constexpr std::int64_t k31Bits = std::int64_t{1} << 31;
inline constexpr std::int64_t k32Bits = std::int64_t{1} << 32;

// The units, and the bounds of 31 and 32 bits of each unit below a second, with their neighbours.
// All of them together are less than the years that 64 bits of nanoseconds have. Such a wait ends
// in a simulation alone.
inline constexpr std::chrono::nanoseconds kTimeoutsBesideBounds[] = {
    std::chrono::nanoseconds(1),
    std::chrono::nanoseconds(2),
    std::chrono::nanoseconds(999),
    std::chrono::nanoseconds(k31Bits - 1),
    std::chrono::nanoseconds(k31Bits),
    std::chrono::nanoseconds(k31Bits + 1),
    std::chrono::nanoseconds(k32Bits - 1),
    std::chrono::nanoseconds(k32Bits),
    std::chrono::nanoseconds(k32Bits + 1),
    std::chrono::microseconds(1),
    std::chrono::microseconds(999),
    std::chrono::microseconds(k31Bits - 1),
    std::chrono::microseconds(k31Bits),
    std::chrono::microseconds(k31Bits + 1),
    std::chrono::microseconds(k32Bits - 1),
    std::chrono::microseconds(k32Bits),
    std::chrono::microseconds(k32Bits + 1),
    std::chrono::milliseconds(1),
    std::chrono::nanoseconds(999'999'999),
    std::chrono::seconds(1),
    std::chrono::nanoseconds(1'000'000'001),
    std::chrono::milliseconds(k31Bits - 1),
    std::chrono::milliseconds(k31Bits),
    std::chrono::milliseconds(k31Bits + 1),
    std::chrono::milliseconds(k32Bits - 1),
    std::chrono::milliseconds(k32Bits),
    std::chrono::milliseconds(k32Bits + 1),
    std::chrono::hours(24),
    std::chrono::hours(24 * 365),
};

// The same of seconds, which have no room beside each other.
inline constexpr std::chrono::seconds kTimeoutsOfManySeconds[] = {
    std::chrono::seconds(k31Bits - 1),
    std::chrono::seconds(k31Bits),
    std::chrono::seconds(k32Bits - 1),
    std::chrono::seconds(k32Bits),
};

}  // namespace lockbench::stress
