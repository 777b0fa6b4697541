// SPDX-License-Identifier: Apache-2.0

#include "harness/command/run/readable.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <absl/strings/str_format.h>

namespace lockbench {
namespace {

struct Scale {
  double of;
  std::string_view unit;
};

constexpr Scale kCounts[] = {{1e9, " G"}, {1e6, " M"}, {1e3, " k"}, {1, ""}};
constexpr Scale kTimes[] = {{1e9, " s"}, {1e6, " ms"}, {1e3, " µs"}, {1, " ns"}};
constexpr Scale kBytes[] = {{1 << 30, " GiB"}, {1 << 20, " MiB"}, {1 << 10, " KiB"}, {1, " B"}};
// What rounds up to the next unit is told in it: 999.6 is 1.00 k.
constexpr double kRoundsUp = 0.9995;

int exponent_of(double value) {
  return static_cast<int>(std::floor(std::log10(std::abs(value))));
}

std::string grouped(std::string digits) {
  std::size_t end = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  while (end > first + 3) digits.insert(end -= 3, 1, ',');
  return digits;
}

std::string scaled(double value, std::span<const Scale> scales) {
  for (const Scale& scale : scales) {
    if (std::abs(value) < scale.of * kRoundsUp && &scale != &scales.back()) continue;
    return readable_digits(value / scale.of) + std::string(scale.unit);
  }
  return {};
}

}  // namespace

std::string readable_digits(double value, int significant) {
  if (value == 0) return "0";
  if (!std::isfinite(value)) return absl::StrFormat("%g", value);
  const double unit = std::pow(10, exponent_of(value) - significant + 1);
  const double rounded = std::round(value / unit) * unit;
  const int places = std::max(0, significant - 1 - exponent_of(rounded));
  constexpr int kMostPlaces = 6;
  if (places > kMostPlaces) return absl::StrFormat("%.*e", significant - 1, value);
  return grouped(absl::StrFormat("%.*f", places, rounded));
}

std::string readable_count(double value) {
  return scaled(value, kCounts);
}

std::string readable_ns(double value) {
  return scaled(value, kTimes);
}

std::string readable_bytes(double value) {
  std::string text = scaled(value, kBytes);
  // 4.00 KiB is 4 KiB: sizes are mostly whole.
  const std::size_t blank = text.find(' ');
  if (text.find('.') < blank) {
    std::size_t end = blank;
    while (text[end - 1] == '0') --end;
    if (text[end - 1] == '.') --end;
    text.erase(end, blank - end);
  }
  return text;
}

std::string exact_bytes(std::uint64_t bytes) {
  constexpr std::pair<std::uint64_t, std::string_view> kUnits[] = {
      {1 << 30, " GiB"},  {1'000'000'000, " GB"}, {1 << 20, " MiB"},
      {1'000'000, " MB"}, {1 << 10, " KiB"},      {1'000, " kB"}};
  for (const auto& [unit, name] : kUnits) {
    if (bytes != 0 && bytes % unit == 0) return readable_whole(bytes / unit) + std::string(name);
  }
  return readable_whole(bytes) + " B";
}

std::string readable_ratio(double value) {
  return readable_digits(value) + "×";
}

std::string readable_whole(std::uint64_t value) {
  return grouped(std::to_string(value));
}

std::string readable_plural(std::uint64_t count, std::string_view thing) {
  return readable_whole(count) + " " + std::string(thing) + (count == 1 ? "" : "s");
}

}  // namespace lockbench
