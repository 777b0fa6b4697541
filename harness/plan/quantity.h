// SPDX-License-Identifier: Apache-2.0

// Quantities as users write them: durations with their unit, counts and lists of counts.
//
// What is parsed prints in one canonical form, and what is printed parses to the same value. The
// errors say what was wrong and what would be right; where it stood is for the caller to put
// before.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "workloads/settings.h"

namespace lockbench {

// No duration is longer: sums and multiples of a few stay far from overflow.
inline constexpr Nanoseconds kLongestDuration = std::chrono::hours(24);

// `200ns`, `5us`, `1.5ms`, `2s`, `3min`, or a bare `0`. Exact: nothing finer than 1ns, no rounding.
absl::StatusOr<Nanoseconds> parse_duration(std::string_view text);

// In the largest unit of which there is at least one, seconds at most: `1.5ms`, `90s`, `0`.
std::string to_text(Nanoseconds duration);

// From which to which number a count may go, both included.
struct CountRange {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};

// A whole number in decimal digits.
absl::StatusOr<std::uint64_t> parse_count(std::string_view text, CountRange range);

// InvalidArgument with a message as parse_count's, or OK.
absl::Status check_range(std::uint64_t count, CountRange range);

// Counts and ranges, in the order written: `1,2,4..16` is 1,2,4,8,16, for `a..b` doubles a until b,
// and b itself is always the last; `a..b:s` steps by s instead, b last again.
inline constexpr std::string_view kCountsHelp =
    "whole numbers, as 1,2,8; 4..16 doubles (4,8,16); 1..4:1 steps (1,2,3,4)";
absl::StatusOr<std::vector<std::uint64_t>> parse_counts(std::string_view text, CountRange range);

// `1,2,4,8,16`.
std::string to_text(const std::vector<std::uint64_t>& counts);

// A decimal fraction, as 0.99, from least to most.
absl::StatusOr<double> parse_fraction(std::string_view text, double least, double most);

// The shortest text that parses to the same value.
std::string to_text(double fraction);

// `4096`, `64KiB`, `1MB`, `2GiB`: bytes, by powers of 1000 or, with an i, of 1024; 1 or more.
absl::StatusOr<std::uint64_t> parse_bytes(std::string_view text);

// Pieces of `text` between separators; one, perhaps empty, where there is no separator.
std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace lockbench
