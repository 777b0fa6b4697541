// SPDX-License-Identifier: Apache-2.0

#include "workloads/random.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace lockbench {
namespace {

// The figures are those of the published generator: keys are the same on every machine.
TEST(Random, IsThePublishedGenerator) {
  Random random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317u);
  EXPECT_EQ(random.next(), 3203168211198807973u);
  EXPECT_EQ(random.next(), 9817491932198370423u);
}

TEST(Random, BelowStaysBelowAndReachesEverything) {
  Random random(1);
  std::array<int, 7> drawn{};
  for (int i = 0; i < 7000; ++i) ++drawn.at(random.below(7));
  for (const int count : drawn) EXPECT_NEAR(count, 1000, 150);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random.below(1), 0u);
}

TEST(Random, UnitLiesFromZeroToBelowOne) {
  Random random(1);
  double sum = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double x = random.unit();
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    sum += x;
  }
  EXPECT_NEAR(sum / 10'000, 0.5, 0.02);
}

TEST(Random, AShuffleKeepsEveryItemAndEveryOrderComesUp) {
  Random random(1);
  std::map<std::vector<int>, int> orders;
  for (int i = 0; i < 6000; ++i) {
    std::vector<int> items{1, 2, 3};
    random.shuffle(std::span(items));
    ++orders[items];
  }
  EXPECT_EQ(orders.size(), 6u);
  for (const auto& [order, count] : orders) EXPECT_NEAR(count, 1000, 150);
}

TEST(DeriveSeed, PartsAndSeedsAllDiffer) {
  std::set<std::uint64_t> seeds;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    for (std::uint64_t part = 0; part < 30; ++part) {
      seeds.insert(derive_seed(seed, part));
      seeds.insert(derive_seed(seed, ~part));
    }
  }
  EXPECT_EQ(seeds.size(), 30u * 30 * 2);
}

}  // namespace
}  // namespace lockbench
