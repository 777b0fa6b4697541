// SPDX-License-Identifier: Apache-2.0

#include "harness/base/median.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lockbench {

namespace {

// The probability that none of n values is below the median.
double outermost_tail(std::size_t n) {
  return std::pow(0.5, static_cast<double>(n));
}

}  // namespace

double median(std::vector<double> values) {
  const std::size_t middle = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::optional<MedianInterval> median_interval(std::vector<double> values, double confidence) {
  const std::size_t n = values.size();
  if (n < 2) return std::nullopt;
  std::sort(values.begin(), values.end());
  // The interval from values[rank] to values[n - 1 - rank] misses the median with probability 2 *
  // tail.
  double term = outermost_tail(n);
  double tail = term;
  std::size_t rank = 0;
  while (rank + 1 < n / 2) {
    term *= static_cast<double>(n - rank) / static_cast<double>(rank + 1);
    if (1 - 2 * (tail + term) < confidence) break;
    tail += term;
    ++rank;
  }
  return MedianInterval{
      .low = values[rank], .high = values[n - 1 - rank], .confidence = 1 - 2 * tail};
}

std::size_t least_values_for(double confidence) {
  std::size_t n = 2;
  while (1 - 2 * outermost_tail(n) < confidence) ++n;
  return n;
}

std::optional<double> relative_half_width(std::vector<double> values) {
  if (values.size() < least_values_for(kUsualConfidence)) return std::nullopt;
  const MedianInterval interval = *median_interval(values);
  return (interval.high - interval.low) / 2 / median(std::move(values));
}

}  // namespace lockbench
