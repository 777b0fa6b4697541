// SPDX-License-Identifier: Apache-2.0

#include "harness/base/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

namespace lockbench {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t worth;  // in ns for times, in bytes for sizes
};
constexpr std::array kUnits = {Unit{"ns", 1}, Unit{"us", 1'000}, Unit{"ms", 1'000'000},
                               Unit{"s", 1'000'000'000}, Unit{"min", 60'000'000'000}};
// Microseconds as tables print them: with the micro sign (U+00B5), and with the Greek letter
// (U+03BC) that some keyboards and editors write for it.
constexpr std::array<std::string_view, 2> kMicroseconds = {"\u00b5s", "\u03bcs"};
// Longer times are easiest to read in seconds, so no greater unit is printed.
constexpr std::array kPrintedUnits = {kUnits[3], kUnits[2], kUnits[1], kUnits[0]};

constexpr std::string_view kDurationHelp = "write a duration with its unit: 200ns, 5us, 1.5ms, 2s";
constexpr std::size_t kMostCounts = 4096;

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return '0' <= c && c <= '9'; });
}

std::string without_commas(std::string_view text) {
  std::string kept(text);
  std::erase(kept, ',');
  return kept;
}

absl::Status bad_duration(std::string_view text, std::string_view reason) {
  return absl::InvalidArgumentError(absl::StrFormat("'%s' %s; %s", text, reason, kDurationHelp));
}

absl::StatusOr<std::uint64_t> unit_of(std::string_view text, std::string_view given) {
  const bool micro = std::find(kMicroseconds.begin(), kMicroseconds.end(), given) !=  //
                     kMicroseconds.end();
  const std::string_view unit = micro ? "us" : given;
  for (const Unit& known : kUnits) {
    if (known.name == unit) return known.worth;
  }
  return absl::InvalidArgumentError(absl::StrFormat(
      "'%s' has the unknown unit '%s'; units are ns, us or µs, ms, s, min", text, unit));
}

// Converts the decimals of a number with the unit `unit_ns` to nanoseconds; absent if they are
// finer than 1 ns.
std::optional<std::uint64_t> decimals_ns(std::string_view digits, std::uint64_t unit_ns) {
  std::uint64_t sum = 0;
  for (const char c : digits) {
    const std::uint64_t digit = static_cast<std::uint64_t>(c - '0');
    if (unit_ns % 10 != 0 && digit != 0) return std::nullopt;
    unit_ns /= 10;
    sum += digit * unit_ns;
  }
  return sum;
}

absl::Status out_of_range(std::string_view text, CountRange range) {
  return absl::InvalidArgumentError(
      absl::StrFormat("%s is out of range: %d to %d", text, range.least, range.most));
}

// Parses `a..b` or `a..b:s`, whose first `..` is at `dots`.
absl::StatusOr<std::vector<std::uint64_t>> parse_steps(std::string_view item, std::size_t dots,
                                                       CountRange range) {
  const std::string_view rest = item.substr(dots + 2);
  const std::size_t colon = rest.find(':');
  const auto first = parse_count(item.substr(0, dots), range);
  if (!first.ok()) return first.status();
  const auto last = parse_count(rest.substr(0, colon), range);
  if (!last.ok()) return last.status();
  std::uint64_t step = 0;
  if (colon != std::string_view::npos) {
    const auto given = parse_count(rest.substr(colon + 1), {1, range.most});
    if (!given.ok()) return given.status();
    step = *given;
  }
  if (*first > *last) {
    return absl::InvalidArgumentError(
        absl::StrFormat("'%s' goes down; write the smaller number first", item));
  }
  if (step == 0 && *first == 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("'%s' doubles from 0; begin at 1, or give a step as 0..4:1", item));
  }
  if (step != 0 && (*last - *first) / step >= kMostCounts) {
    return absl::InvalidArgumentError(
        absl::StrFormat("'%s' is more than %d values; take a larger step", item, kMostCounts));
  }
  std::vector<std::uint64_t> counts;
  for (std::uint64_t count = *first; count < *last;) {
    counts.push_back(count);
    const std::uint64_t advance = step == 0 ? count : step;
    if (advance >= *last - count) break;
    count += advance;
  }
  counts.push_back(*last);
  return counts;
}

}  // namespace

// absl::StrSplit is not used: if Abseil has its own string_view, as in Debian 12, it does not
// accept std::string_view.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const std::size_t end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

absl::StatusOr<Nanoseconds> parse_duration(std::string_view text) {
  if (text.starts_with('-')) return bad_duration(text, "is negative");
  const std::size_t number_end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view number = text.substr(0, number_end);
  const std::string_view unit = text.substr(number_end);
  const std::size_t point = number.find('.');
  const std::string_view before = number.substr(0, point);
  const bool has_point = point != std::string_view::npos;
  const std::string_view after = has_point ? number.substr(point + 1) : std::string_view();
  if (!all_digits(before) || (has_point && !all_digits(after))) {
    return bad_duration(text, "is not a duration");
  }
  if (unit.empty()) {
    if (number.find_first_not_of("0.") == std::string_view::npos) return Nanoseconds{0};
    return bad_duration(text, "has no unit");
  }
  const auto unit_ns = unit_of(text, unit);
  if (!unit_ns.ok()) return unit_ns.status();
  const auto decimals = decimals_ns(after, *unit_ns);
  if (!decimals) return bad_duration(text, "is finer than 1ns");
  const auto units = parse_number<std::uint64_t>(before);
  const auto longest = static_cast<std::uint64_t>(kLongestDuration.count());
  if (!units || *units > longest / *unit_ns || *units * *unit_ns + *decimals > longest) {
    return bad_duration(text, "is longer than a day");
  }
  return Nanoseconds{static_cast<std::int64_t>(*units * *unit_ns + *decimals)};
}

std::string to_text(Nanoseconds duration) {
  const std::int64_t count = duration.count();
  if (count == 0) return "0";
  const std::string sign = count < 0 ? "-" : "";
  // Unsigned, because the smallest negative value has no positive counterpart.
  const std::uint64_t ns =
      count < 0 ? 0 - static_cast<std::uint64_t>(count) : static_cast<std::uint64_t>(count);
  const Unit unit = *std::find_if(kPrintedUnits.begin(), kPrintedUnits.end(),
                                  [ns](const Unit& u) { return ns >= u.worth; });
  std::string out = sign + std::to_string(ns / unit.worth);
  if (ns % unit.worth != 0) {
    // The zeros at the start of the remainder are added, and those at its end are removed.
    std::string decimals = std::to_string(unit.worth + ns % unit.worth).substr(1);
    decimals.erase(decimals.find_last_not_of('0') + 1);
    out += "." + decimals;
  }
  return out + std::string(unit.name);
}

absl::Status check_range(std::uint64_t count, CountRange range) {
  if (range.least <= count && count <= range.most) return absl::OkStatus();
  return out_of_range(std::to_string(count), range);
}

absl::StatusOr<std::uint64_t> parse_count(std::string_view text, CountRange range) {
  const bool negative = text.starts_with('-') && all_digits(text.substr(1));
  if (!negative && !all_digits(text)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("'%s' is not a whole number; write digits alone, as 1000", text));
  }
  const auto count = negative ? std::nullopt : parse_number<std::uint64_t>(text);
  if (!count || *count < range.least || *count > range.most) return out_of_range(text, range);
  return *count;
}

absl::StatusOr<std::vector<std::uint64_t>> parse_counts(std::string_view text, CountRange range) {
  std::vector<std::uint64_t> counts;
  const std::vector<std::string_view> items = split(text, ',');
  for (std::size_t i = 1; i < items.size(); ++i) {
    // No count begins with 0, but the thousands of 5,000 and 1,024,000 may.
    if (items[i].size() != 3 || !items[i].starts_with('0') || !all_digits(items[i])) continue;
    return absl::InvalidArgumentError(absl::StrFormat(
        "'%s' is a list, whose value %d is %s; write thousands without a separator, as %s", text,
        i + 1, items[i], without_commas(text)));
  }
  for (const std::string_view item : items) {
    const std::size_t dots = item.find("..");
    if (dots != std::string_view::npos) {
      const auto steps = parse_steps(item, dots, range);
      if (!steps.ok()) return steps.status();
      counts.insert(counts.end(), steps->begin(), steps->end());
    } else {
      const auto count = parse_count(item, range);
      if (!count.ok()) return count.status();
      counts.push_back(*count);
    }
    if (counts.size() > kMostCounts) {
      return absl::InvalidArgumentError(
          absl::StrFormat("more than %d values in one list", kMostCounts));
    }
  }
  return counts;
}

std::string to_text(const std::vector<std::uint64_t>& counts) {
  return absl::StrJoin(counts, ",");
}

absl::StatusOr<double> parse_fraction(std::string_view text, double least, double most) {
  const std::optional<double> value = parse_number<double>(text);
  if (value && least <= *value && *value <= most) return *value;
  return absl::InvalidArgumentError(
      absl::StrFormat("'%s' is not a number from %s to %s", text, to_text(least), to_text(most)));
}

std::string to_text(double fraction) {
  std::array<char, 32> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), fraction);
  return std::string(buffer.data(), result.ptr);
}

absl::StatusOr<std::uint64_t> parse_bytes(std::string_view text) {
  static constexpr std::array kSizes = {
      Unit{"", 1},          Unit{"B", 1},          Unit{"kB", 1'000},
      Unit{"KB", 1'000},    Unit{"MB", 1'000'000}, Unit{"GB", 1'000'000'000},
      Unit{"KiB", 1 << 10}, Unit{"MiB", 1 << 20},  Unit{"GiB", 1 << 30}};
  constexpr std::uint64_t kMost = 1ULL << 50;
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::optional<std::uint64_t> number = parse_number<std::uint64_t>(text.substr(0, end));
  for (const Unit& unit : kSizes) {
    if (unit.name != text.substr(end) || !number) continue;
    if (*number >= 1 && *number <= kMost / unit.worth) return *number * unit.worth;
  }
  return absl::InvalidArgumentError(
      absl::StrFormat("'%s' is no size; write bytes, as 4096, 64KiB, 1MB or 2GiB", text));
}

}  // namespace lockbench
