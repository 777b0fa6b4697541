// SPDX-License-Identifier: Apache-2.0

// Median: the middle of a few values, and how well they know it. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace lockbench {

// The middle one, or the mean of the two in the middle. Requires at least one value.
double median(std::vector<double> values);

// Where the median of what the values were drawn from lies, between two of the values themselves.
//
// Blocks are few and their spread is no bell: a neighbour's load slows some of them by half and
// none of them gains by it. How many of n values fall below the true median is binomial(n, 1/2)
// whatever the distribution, so an interval between two order statistics keeps its word where one
// by mean and deviation would not. Source: W. J. Conover, "Practical Nonparametric Statistics",
// 1971, section 3.2.
struct MedianInterval {
  double low = 0;
  double high = 0;
  double confidence = 0;  // that it covers the median, at least

  bool operator==(const MedianInterval&) const = default;
};

inline constexpr double kUsualConfidence = 0.95;

// The narrowest that covers the median with `confidence`. Where not even the extremes do, the
// extremes and what they cover: 1 - 2^(1-n) of n values, 0.94 of five. Absent below 2 values.
std::optional<MedianInterval> median_interval(std::vector<double> values,
                                              double confidence = kUsualConfidence);

// How many values give an interval of that confidence: 6 for 0.95.
std::size_t least_values_for(double confidence);

}  // namespace lockbench
