// SPDX-License-Identifier: Apache-2.0

#include "harness/command/run/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/command/standings.h"

namespace lockbench {
namespace {

using testing::ElementsAre;

std::vector<std::string> order_of(const CellGroup& group) {
  std::vector<std::string> names;
  for (const Standing& standing : group.standings) names.push_back(to_text(standing.primitive));
  return names;
}

const Cell kEightThreads{.workload = {"counter", ""}, .threads = 8, .keys = 64};

TEST(CellGroups, PutTheFastestFirstThenTheFloorThenWhatIsNotValid) {
  SmallRun run;
  run.add("global", {0, 0});
  run.add("none", {90, 90});
  run.add("striped", {20, 20});
  run.add("keyed", {30, 30});
  const auto groups = cell_groups(run.plan, run.measurements);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_THAT(order_of(groups[0]), ElementsAre("keyed", "striped", "none", "global"));
  EXPECT_FALSE(groups[0].standings[3].median);
  EXPECT_DOUBLE_EQ(groups[0].standings[0].share, 30.0 / 90);
}

TEST(CellGroups, TellFixedWorkByItsMakespanTheShortestFirst) {
  SmallRun run;
  Cell fixed = kEightThreads;
  fixed.mode = Mode::kFixed;
  run.add("keyed", {1}, fixed);
  run.add("global", {1}, fixed);
  run.measurements[0].makespan_s = 2;
  run.measurements[1].makespan_s = 8;
  const auto groups = cell_groups(run.plan, run.measurements);
  EXPECT_EQ(groups[0].metric, Metric::kMakespan);
  EXPECT_THAT(order_of(groups[0]), ElementsAre("keyed", "global"));
  EXPECT_DOUBLE_EQ(*groups[0].standings[0].ratio, 4);
}

TEST(CellGroups, PairRatiosByBlockSoThatDriftIsNoDifference) {
  SmallRun run;
  run.add("global:lock=std", {10, 20, 40, 80, 160, 320});
  run.add("keyed", {20, 40, 80, 160, 320, 640});
  const auto groups = cell_groups(run.plan, run.measurements);
  const Standing& keyed = groups[0].standings[0];
  EXPECT_DOUBLE_EQ(*keyed.ratio, 2);
  EXPECT_DOUBLE_EQ(keyed.ratio_interval->low, 2);
  EXPECT_DOUBLE_EQ(keyed.ratio_interval->high, 2);
  EXPECT_FALSE(groups[0].standings[1].level());
}

TEST(CellGroups, TakeTheLastAttemptAtATrial) {
  SmallRun run;
  run.add("keyed", {0});
  Measurement again = run.measurements[0];
  again.attempt = 1;
  again.valid = true;
  again.operations_per_s = 7;
  run.measurements.push_back(again);
  EXPECT_EQ(cell_groups(run.plan, run.measurements)[0].standings[0].median, 7);
}

TEST(CellGroups, LeaveABlockThatIsNotValidOutOfItsPair) {
  SmallRun run;
  run.add("global", {10, 10, 10});
  run.add("keyed", {20, 0, 30});
  const Standing keyed = cell_groups(run.plan, run.measurements)[0].standings[0];
  EXPECT_EQ(keyed.blocks, 2u);
  EXPECT_EQ(keyed.planned, 3u);
  EXPECT_DOUBLE_EQ(*keyed.ratio, 2.5);
}

TEST(CellGroups, AreLevelWhereBlocksDisagree) {
  SmallRun run;
  run.add("global", {10, 10, 10, 10, 10, 10});
  run.add("keyed", {11, 11, 11, 11, 11, 9});
  const auto groups = cell_groups(run.plan, run.measurements);
  EXPECT_TRUE(groups[0].standings[1].level());
}

TEST(CellGroups, OfAnotherMachineryAreOneGroupAndOfOtherThreadsAreNot) {
  SmallRun run;
  Cell patient = kEightThreads;
  patient.time_limit = std::chrono::seconds(9);
  Cell four = kEightThreads;
  four.threads = 4;
  run.add("keyed", {1});
  run.add("global", {1}, patient);
  run.add("global", {1}, four);
  const auto groups = cell_groups(run.plan, run.measurements);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].cell.threads, 4u);  // fewer threads first, whatever the plan's order
  EXPECT_EQ(groups[1].standings.size(), 2u);
}

TEST(CellGroups, MarkSpeedThatStarvesThreads) {
  SmallRun run;
  run.add("keyed", {1, 1});
  run.measurements[0].fairness_jain = run.measurements[1].fairness_jain = 0.25;
  EXPECT_EQ(cell_groups(run.plan, run.measurements)[0].standings[0].unfair, "Jain 0.25");
}

TEST(UsualBaseline, IsWhatPeopleWouldPickThatIsThere) {
  const auto of = [](const std::vector<std::string>& names) {
    std::vector<PrimitiveSpec> primitives;
    for (const std::string& name : names) primitives.push_back(*parse_primitive(name));
    return to_text(*usual_baseline(primitives));
  };
  EXPECT_EQ(of({"keyed", "global", "global:lock=std"}), "global:lock=std");
  EXPECT_EQ(of({"lease:leases=4", "lease_condvar:leases=4"}), "lease_condvar:leases=4");
  EXPECT_EQ(of({"keyed", "striped"}), "keyed");
}

// Groups of 1, 2, 4 and 8 threads, in which keyed wins by as much as there are threads.
SmallRun run_of_four_groups() {
  SmallRun run;
  for (const std::uint32_t threads : {1u, 2u, 4u, 8u}) {
    Cell cell = kEightThreads;
    cell.threads = threads;
    run.add("global", {10}, cell);
    run.add("keyed", {10.0 * threads + 1}, cell);
  }
  return run;
}

TEST(TellingGroups, BeginWithTheMostContendedAndGoOnWithTheGreatestDifferences) {
  const SmallRun run = run_of_four_groups();
  const auto groups = cell_groups(run.plan, run.measurements);
  EXPECT_THAT(telling_groups(groups, 1), ElementsAre(3));
  EXPECT_THAT(telling_groups(groups, 10), ElementsAre(2, 3));
  EXPECT_THAT(telling_groups(groups, 1000), ElementsAre(0, 1, 2, 3));
}

TEST(TellingGroups, PreferOneThatAnotherWins) {
  SmallRun run = run_of_four_groups();
  run.measurements[0].operations_per_s = 12;  // global, at one thread
  const auto groups = cell_groups(run.plan, run.measurements);
  EXPECT_THAT(telling_groups(groups, 10), ElementsAre(0, 3));
}

}  // namespace
}  // namespace lockbench
