// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "harness/bench/plan/expand.h"

namespace lockbench {
namespace {

std::vector<Cell> cells(std::uint32_t count) {
  std::vector<Cell> made(count);
  for (std::uint32_t i = 0; i < count; ++i) made[i].threads = i + 1;
  return made;
}

std::vector<std::uint32_t> order_of(const Plan& plan) {
  std::vector<std::uint32_t> order;
  for (const Trial& trial : plan.trials) order.push_back(trial.cell.threads);
  return order;
}

TEST(Block, HoldsEveryCellOnceAndGoesOnWhereThePlanEnds) {
  Plan plan;
  append_block(plan, cells(5));
  append_block(plan, cells(3));
  ASSERT_EQ(plan.trials.size(), 8u);
  EXPECT_EQ(plan.blocks, 2u);
  std::vector<std::uint32_t> second;
  for (std::uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(plan.trials[i].number, i);
    EXPECT_EQ(plan.trials[i].block, i < 5 ? 0u : 1u);
    EXPECT_EQ(plan.trials[i].position, i < 5 ? i : i - 5);
    EXPECT_EQ(plan.trials[i].seed, plan.trials[i < 5 ? 0 : 5].seed);
    if (i >= 5) second.push_back(plan.trials[i].cell.threads);
  }
  EXPECT_NE(plan.trials[0].seed, plan.trials[5].seed);
  std::sort(second.begin(), second.end());
  EXPECT_EQ(second, (std::vector<std::uint32_t>{1, 2, 3}));
}

TEST(Block, DependsOnTheSeedAndItsNumberNotOnTheBlocksBefore) {
  Plan short_before{.seed = 7};
  Plan long_before{.seed = 7};
  append_block(short_before, cells(1));
  append_block(long_before, cells(30));
  append_block(short_before, cells(9));
  append_block(long_before, cells(9));
  const std::vector<std::uint32_t> one = order_of(short_before);
  const std::vector<std::uint32_t> other = order_of(long_before);
  EXPECT_TRUE(std::equal(one.end() - 9, one.end(), other.end() - 9));
  EXPECT_EQ(short_before.trials.back().seed, long_before.trials.back().seed);
}

TEST(Block, ItsSeedIsKeptExactlyByReadersThatHaveDoublesOnly) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Plan plan{.seed = seed};
    append_block(plan, cells(1));
    EXPECT_LT(plan.trials[0].seed, std::uint64_t{1} << 53);
  }
}

TEST(Block, EveryOrderComesUpAboutEquallyOften) {
  std::map<std::vector<std::uint32_t>, int> orders;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    Plan plan{.seed = seed};
    append_block(plan, cells(3));
    ++orders[order_of(plan)];
  }
  EXPECT_EQ(orders.size(), 6u);
  for (const auto& [order, count] : orders) EXPECT_NEAR(count, 1000, 150);
}

}  // namespace
}  // namespace lockbench
