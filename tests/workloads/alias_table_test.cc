// SPDX-License-Identifier: Apache-2.0

#include "workloads/alias_table.h"

#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace lockbench {
namespace {

constexpr int kDraws = 200'000;

// Draws from a table of `weights` and holds Pearson's chi-squared against five standard deviations
// above its mean. An index of weight 0 must never come.
void expect_frequencies_follow(const std::vector<double>& weights) {
  const AliasTable table(weights);
  Random random(7);
  std::vector<int> drawn(weights.size());
  for (int i = 0; i < kDraws; ++i) ++drawn.at(table.draw(random));

  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  double chi_squared = 0;
  double degrees = -1;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) {
      EXPECT_EQ(drawn[i], 0) << "index " << i;
      continue;
    }
    const double expected = kDraws * weights[i] / sum;
    chi_squared += (drawn[i] - expected) * (drawn[i] - expected) / expected;
    ++degrees;
  }
  EXPECT_LE(chi_squared, degrees + 5 * std::sqrt(2 * degrees));
}

TEST(AliasTable, FrequenciesFollowTheWeights) {
  expect_frequencies_follow({1, 1, 1, 1});
  expect_frequencies_follow({1, 2, 3, 4, 5, 6, 7});
  expect_frequencies_follow({0.001, 0.999});
  expect_frequencies_follow({5, 0, 3, 0, 0, 2});
}

TEST(AliasTable, FrequenciesFollowAZipfDistribution) {
  std::vector<double> weights;
  for (int rank = 1; rank <= 500; ++rank) weights.push_back(1.0 / rank);
  expect_frequencies_follow(weights);
}

TEST(AliasTable, TheScaleOfTheWeightsDoesNotMatter) {
  const AliasTable small({1e-12, 3e-12});
  const AliasTable large({1e12, 3e12});
  Random a(1);
  Random b(1);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(small.draw(a), large.draw(b));
}

TEST(AliasTable, OneWeightIsAlwaysDrawn) {
  const AliasTable table({0.3});
  Random random(1);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(table.draw(random), 0u);
}

}  // namespace
}  // namespace lockbench
