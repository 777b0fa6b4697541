// SPDX-License-Identifier: Apache-2.0

// Median: the median of a few values, and its confidence interval. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace lockbench {

// The middle value, or the mean of the two middle values. Requires at least one value.
double median(std::vector<double> values);

// An interval that contains the median of the distribution that the values were drawn from. Its
// ends are two of the values.
//
// There are few blocks, and their distribution is not normal: load from other processes slows some
// of them by half, and makes none of them faster. The number of values below the true median is
// binomial(n, 1/2) for every distribution. An interval between two order statistics therefore has
// the stated confidence, and one from mean and deviation would not. Source: W. J. Conover,
// "Practical Nonparametric Statistics", 1971, section 3.2.
struct MedianInterval {
  double low = 0;
  double high = 0;
  double confidence = 0;  // that it contains the median: at least this

  bool operator==(const MedianInterval&) const = default;
};

inline constexpr double kUsualConfidence = 0.95;

// The narrowest interval that contains the median with `confidence`. If not even the extremes do,
// the extremes and their confidence: 1 - 2^(1-n) for n values, 0.94 for five. Absent below 2
// values.
std::optional<MedianInterval> median_interval(std::vector<double> values,
                                              double confidence = kUsualConfidence);

// How many values give an interval of that confidence: 6 for 0.95.
std::size_t least_values_for(double confidence);

// Half the width of the interval that contains the median with at least 95 % confidence (median.h),
// relative to the median. Absent below 6 values, for which no interval exists.
std::optional<double> relative_half_width(std::vector<double> values);

}  // namespace lockbench
