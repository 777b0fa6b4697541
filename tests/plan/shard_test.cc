// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/plan/shard.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/plan/expand.h"

namespace lockbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Numbers = std::vector<std::uint32_t>;

// `groups` comparison groups of three primitives, which differ by their threads.
Plan plan_of(std::uint32_t blocks, std::uint32_t groups) {
  std::vector<Cell> cells;
  for (std::uint32_t group = 0; group < groups; ++group) {
    for (const char* const name : {"global", "keyed", "striped"}) {
      cells.push_back({.primitive = {.name = name, .parameters = {}},
                       .workload = {.name = "counter", .scenario = ""},
                       .threads = group + 1,
                       .time_limit = Nanoseconds(name[0])});  // follows from the primitive
    }
  }
  Plan plan;
  while (plan.blocks < blocks || plan.trials.empty()) append_block(plan, cells);
  return plan;
}

double one_second(const Trial&) {
  return 1;
}

double by_threads(const Trial& trial) {
  return trial.cell.threads;
}

std::vector<Numbers> all_shards(const Plan& plan, std::uint32_t n, const TrialSeconds& seconds) {
  std::vector<Numbers> shards;
  for (std::uint32_t i = 1; i <= n; ++i) {
    const auto shard = trials_of_shard(plan, {.index = i, .of = n}, seconds);
    EXPECT_TRUE(shard.ok()) << shard.status();
    if (shard.ok()) shards.push_back(*shard);
  }
  return shards;
}

double seconds_of(const Plan& plan, const Numbers& shard, const TrialSeconds& seconds) {
  double sum = 0;
  for (const std::uint32_t trial : shard) sum += seconds(plan.trials[trial]);
  return sum;
}

std::string error_of(const Plan& plan, std::uint32_t n, const TrialSeconds& seconds) {
  return std::string(trials_of_shard(plan, {.index = 1, .of = n}, seconds).status().message());
}

void expect_partition(const Plan& plan, const std::vector<Numbers>& shards) {
  Numbers together;
  for (const Numbers& shard : shards) {
    EXPECT_TRUE(std::is_sorted(shard.begin(), shard.end()));
    together.insert(together.end(), shard.begin(), shard.end());
  }
  std::sort(together.begin(), together.end());
  Numbers all(plan.trials.size());
  std::iota(all.begin(), all.end(), 0u);
  EXPECT_EQ(together, all);
}

void expect_even(const Plan& plan, const std::vector<Numbers>& shards,
                 const TrialSeconds& seconds) {
  double least = 1e9;
  double most = 0;
  for (const Numbers& shard : shards) {
    least = std::min(least, seconds_of(plan, shard, seconds));
    most = std::max(most, seconds_of(plan, shard, seconds));
  }
  EXPECT_LE(most, least * (1 + kShardTolerance));
}

TEST(Shard, HasWholeBlocksWhereTheyDivide) {
  const Plan plan = plan_of(6, 2);
  const std::vector<Numbers> shards = all_shards(plan, 3, one_second);
  expect_partition(plan, shards);
  for (std::uint32_t i = 0; i < 3; ++i) {
    std::set<std::uint32_t> blocks;
    for (const std::uint32_t trial : shards[i]) blocks.insert(plan.trials[trial].block);
    EXPECT_THAT(blocks, ElementsAre(2 * i, 2 * i + 1));
  }
}

TEST(Shard, NeverSplitsAComparisonGroup) {
  const Plan plan = plan_of(5, 12);
  const Numbers group_of = comparison_groups(plan);
  for (const std::uint32_t n : {1u, 2u, 3u, 4u, 5u, 6u, 10u, 12u, 15u, 20u, 30u, 60u}) {
    const std::vector<Numbers> shards = all_shards(plan, n, one_second);
    expect_partition(plan, shards);
    expect_even(plan, shards, one_second);
    std::map<std::uint32_t, std::size_t> shard_of_group;
    for (std::size_t i = 0; i < shards.size(); ++i) {
      for (const std::uint32_t trial : shards[i]) {
        EXPECT_EQ(shard_of_group.try_emplace(group_of[trial], i).first->second, i);
      }
    }
  }
}

TEST(Shard, BalancesGroupsOfDifferentLength) {
  const Plan plan = plan_of(7, 40);
  for (const std::uint32_t n : {2u, 3u, 4u, 5u, 7u, 14u}) {
    const std::vector<Numbers> shards = all_shards(plan, n, by_threads);
    expect_partition(plan, shards);
    expect_even(plan, shards, by_threads);
  }
}

TEST(Shard, DependsOnThePlanAndTheNumberAlone) {
  EXPECT_EQ(all_shards(plan_of(5, 6), 4, by_threads), all_shards(plan_of(5, 6), 4, by_threads));
}

TEST(Shard, MoreThanMakeSenseIsAnErrorThatSaysHowManyDo) {
  EXPECT_THAT(error_of(plan_of(2, 2), 5, one_second),
              HasSubstr("5 shards are too many for this plan of 2 blocks and 4 comparison groups: "
                        "there are fewer comparison groups than shards; at most 4 make sense"));
  EXPECT_THAT(error_of(plan_of(5, 1), 3, one_second),
              HasSubstr("the longest would take 100 % longer than the shortest (maximum 5 %); at "
                        "most 1 make sense, or add blocks"));
  EXPECT_THAT(error_of(plan_of(1, 4), 10'000, by_threads), HasSubstr("at most 2 make sense"));
  EXPECT_TRUE(trials_of_shard(plan_of(1, 4), {.index = 2, .of = 2}, by_threads).ok());
}

TEST(Shard, IsWrittenAsItIsRead) {
  EXPECT_EQ(parse_shard("3/8").value(), (Shard{.index = 3, .of = 8}));
  EXPECT_EQ(to_text(Shard{.index = 3, .of = 8}), "3/8");
  for (const char* const wrong : {"", "3", "0/8", "9/8", "3/", "/8", "3/8/1", "a/8", "1/10001"}) {
    const auto shard = parse_shard(wrong);
    ASSERT_FALSE(shard.ok()) << wrong;
    EXPECT_THAT(std::string(shard.status().message()), HasSubstr("write i/n, as 3/8")) << wrong;
  }
}

TEST(ComparisonGroups, AreTheCellsOfABlockThatDifferByPrimitiveAlone) {
  Plan plan;
  Cell keyed{.primitive = {.name = "keyed", .parameters = {}}};
  Cell global{.primitive = {.name = "global", .parameters = {}}, .stall_limit = Nanoseconds(7)};
  Cell more{.primitive = {.name = "keyed", .parameters = {}}, .threads = 2};
  for (const Cell& cell : {keyed, global, more}) plan.trials.push_back({.cell = cell});
  plan.trials.push_back({.block = 1, .cell = keyed});
  EXPECT_THAT(comparison_groups(plan), ElementsAre(0, 0, 1, 2));
}

}  // namespace
}  // namespace lockbench
