// SPDX-License-Identifier: Apache-2.0

#include "workloads/exponential.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace lockbench {
namespace {

std::vector<double> drawn(std::size_t count, std::uint64_t seed) {
  Exponential exponential(seed);
  std::vector<double> factors(count);
  std::generate(factors.begin(), factors.end(), [&] { return exponential.next(); });
  return factors;
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The largest distance of the empirical distribution from 1 - exp(-x / mean).
double kolmogorov_smirnov(std::vector<double> values, double mean) {
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  double distance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = 1 - std::exp(-values[i] / mean);
    distance = std::max({distance, std::abs(expected - static_cast<double>(i) / count),
                         std::abs(expected - static_cast<double>(i + 1) / count)});
  }
  return distance;
}

// The critical value at a level of 0.1 %: 1.95 / sqrt(count).
constexpr std::size_t kCount = 20'000;
const double kCritical = 1.95 / std::sqrt(kCount);

TEST(Exponential, HasTheDistributionOfItsName) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    EXPECT_LT(kolmogorov_smirnov(drawn(kCount, seed), 1), kCritical);
  }
}

TEST(Exponential, IsToldFromOneWithAMeanTwentiethLarger) {
  EXPECT_GT(kolmogorov_smirnov(drawn(kCount, 1), 1.05), kCritical);
}

TEST(Exponential, DrawsEachEntryOfAListAsOften) {
  const std::vector<int> list{10, 20, 20, 70};
  Exponential indices(3);
  std::map<int, int> drawn;
  for (std::size_t i = 0; i < Exponential::kSize; ++i) ++drawn[indices.next_of(list)];
  EXPECT_EQ(drawn, (std::map<int, int>{{10, 256}, {20, 512}, {70, 256}}));
}

TEST(Exponential, HasTheMeanOneInEachOrder) {
  const std::vector<double> factors = drawn(4 * Exponential::kSize, 7);
  for (std::size_t order = 0; order < 4; ++order) {
    const auto own = std::span(factors).subspan(order * Exponential::kSize, Exponential::kSize);
    EXPECT_NEAR(mean_of(own), 1, 1e-9);
  }
}

TEST(Exponential, HasAnotherOrderEachTime) {
  const std::vector<double> factors = drawn(2 * Exponential::kSize, 7);
  EXPECT_FALSE(std::equal(factors.begin(), factors.begin() + Exponential::kSize,
                          factors.begin() + Exponential::kSize));
}

// Neighbours are not alike: the factors of a thread are no ramp.
TEST(Exponential, NeighboursAreHardlyCorrelated) {
  const std::vector<double> factors = drawn(64 * Exponential::kSize, 3);
  double sum = 0;
  for (std::size_t i = 1; i < factors.size(); ++i) sum += (factors[i] - 1) * (factors[i - 1] - 1);
  EXPECT_LT(std::abs(sum / static_cast<double>(factors.size())), 0.15);
}

}  // namespace
}  // namespace lockbench
