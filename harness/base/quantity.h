// SPDX-License-Identifier: Apache-2.0

// Quantities as users write them: durations with their unit, counts and lists of counts.
//
// Every value prints in one canonical form, and that form parses to the same value. An error says
// what is wrong and what would be right; the caller adds where.
#pragma once

#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <absl/status/statusor.h>

namespace lockbench {

using Nanoseconds = std::chrono::nanoseconds;

// The number that the whole `text` represents; absent if it is not a number or does not fit into a
// T.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  T number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// No duration is longer than this, so that sums and small multiples do not overflow.
inline constexpr Nanoseconds kLongestDuration = std::chrono::hours(24);

// `200ns`, `5us`, `1.5ms`, `2s`, `3min`, or a bare `0`. Exact: nothing finer than 1ns, no rounding.
absl::StatusOr<Nanoseconds> parse_duration(std::string_view text);

// Prints the duration in the largest unit that fits at least once, up to seconds: `1.5ms`, `90s`,
// `0`.
std::string to_text(Nanoseconds duration);

// The range of a count; both ends are included.
struct CountRange {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};

// A whole number in decimal digits.
absl::StatusOr<std::uint64_t> parse_count(std::string_view text, CountRange range);

// OK, or an InvalidArgument with the same message as parse_count().
absl::Status check_range(std::uint64_t count, CountRange range);

// Counts and ranges, in the given order: `1,2,4..16` is 1,2,4,8,16. `a..b` doubles from a up to b,
// and b is always the last value; `a..b:s` adds s instead, and b is again the last value.
inline constexpr std::string_view kCountsHelp =
    "whole numbers, as 1,2,8; 4..16 doubles (4,8,16); 1..4:1 steps (1,2,3,4)";
absl::StatusOr<std::vector<std::uint64_t>> parse_counts(std::string_view text, CountRange range);

// `1,2,4,8,16`.
std::string to_text(const std::vector<std::uint64_t>& counts);

// A decimal fraction, as 0.99, from least to most.
absl::StatusOr<double> parse_fraction(std::string_view text, double least, double most);

// The shortest text that parses to the same value.
std::string to_text(double fraction);

// `4096`, `64KiB`, `1MB`, `2GiB`: bytes, with units that are powers of 1000 or, with an i, of 1024;
// at least 1.
absl::StatusOr<std::uint64_t> parse_bytes(std::string_view text);

// The parts of `text` between separators. Without a separator, the whole text is the only part,
// even if it is empty.
std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace lockbench
