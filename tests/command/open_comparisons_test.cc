// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/open_comparisons.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockbench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Trials 0, 1, 2, … of one block: cells of 1, 2, 3, … threads.
Plan plan_of(std::uint32_t cells) {
  Plan plan;
  for (std::uint32_t i = 0; i < cells; ++i) {
    Trial trial;
    trial.number = i;
    trial.cell.threads = i + 1;
    plan.trials.push_back(trial);
  }
  return plan;
}

std::vector<std::uint32_t> threads_of(const std::vector<Cell>& cells) {
  std::vector<std::uint32_t> threads;
  for (const Cell& cell : cells) threads.push_back(cell.threads);
  return threads;
}

double one_second(const Cell&) {
  return 1;
}

std::vector<std::uint32_t> chosen(std::vector<OpenComparison> open, double left_s) {
  const OpenComparisons comparisons{.comparisons = 9, .decided = 0, .open = std::move(open)};
  return threads_of(cells_of_next_block(plan_of(6), comparisons, left_s, one_second));
}

double to_decide(std::vector<OpenComparison> open) {
  const OpenComparisons comparisons{.comparisons = 9, .decided = 0, .open = std::move(open)};
  return seconds_to_decide(plan_of(6), comparisons, one_second);
}

TEST(CellsOfNextBlock, AreThoseOfEveryComparisonThatTheTimeLeftDecides) {
  EXPECT_THAT(chosen({{{0, 1}, 3, 5.0}, {{2, 3}, 3, 5.0}}, 8), ElementsAre(1, 2, 3, 4));
}

TEST(CellsOfNextBlock, LeaveOutTheComparisonThatNeedsTooMuch) {
  EXPECT_THAT(chosen({{{0, 1}, 3, 500.0}, {{2, 3}, 3, 5.0}}, 8), ElementsAre(3, 4));
}

TEST(CellsOfNextBlock, MeasureASharedBaselineOnceForBothComparisons) {
  // 2 blocks of 3 cells are 6 s; of 4 cells they would be 8 s.
  EXPECT_THAT(chosen({{{1, 0}, 3, 5.0}, {{2, 0}, 3, 5.0}}, 6), ElementsAre(1, 2, 3));
}

TEST(CellsOfNextBlock, AreThoseOfTheCheapestComparisonIfNoneCanBeDecided) {
  EXPECT_THAT(chosen({{{0, 1}, 3, 900.0}, {{2, 3}, 3, 500.0}}, 8), ElementsAre(3, 4));
  EXPECT_THAT(chosen({{{0, 1}, 3, std::nullopt}}, 8), ElementsAre(1, 2));
}

TEST(CellsOfNextBlock, AreNoneIfNotEvenOneBlockFits) {
  EXPECT_THAT(chosen({{{0, 1}, 3, 5.0}}, 1.5), IsEmpty());
  EXPECT_THAT(chosen({}, 100), IsEmpty());
}

TEST(CellsOfNextBlock, IgnoreATrialThatThePlanLacks) {
  EXPECT_THAT(chosen({{{0, 77}, 3, 5.0}}, 100), IsEmpty());
}

TEST(SecondsToDecide, CountASharedCellOnce) {
  EXPECT_DOUBLE_EQ(to_decide({{{0, 1}, 3, 5.0}}), 2 * 2);
  EXPECT_DOUBLE_EQ(to_decide({{{0, 1}, 3, 5.0}, {{0, 2}, 3, 6.0}}), 3 + 2 + 3);
  EXPECT_DOUBLE_EQ(to_decide({}), 0);
}

TEST(SecondsToDecide, AreInfiniteIfThatOfOneIsNotKnown) {
  EXPECT_TRUE(std::isinf(to_decide({{{0, 1}, 3, 5.0}, {{0, 2}, 3, std::nullopt}})));
}

TEST(OpenComparisonsFromJson, ReadsAnAnswer) {
  const auto read = open_comparisons_from_json(
                        R"({"comparisons": 51, "decided": 50, "needed": 14,
          "open": [{"trials": [3, 17], "blocks": 5, "needed": 14, "ratio": 1.08},
                   {"trials": [4, 17], "blocks": 0, "needed": null, "ratio": 1}]})")
                        .value();
  EXPECT_EQ(read.comparisons, 51u);
  EXPECT_EQ(read.decided, 50u);
  ASSERT_EQ(read.open.size(), 2u);
  EXPECT_THAT(read.open[0].trials, ElementsAre(3, 17));
  EXPECT_EQ(read.open[0].needed, 14);
  EXPECT_EQ(read.open[1].needed, std::nullopt);
}

TEST(OpenComparisonsFromJson, FailsWithTheReasonOfTheScript) {
  const auto read = open_comparisons_from_json(R"({"error": "trials.csv: has no rows"})");
  EXPECT_EQ(read.status().message(), "trials.csv: has no rows");
}

TEST(OpenComparisonsFromJson, FailsOnAnythingElse) {
  for (const char* line : {"", "[]", "{", R"({"comparisons": "x"})", R"({"open": []})"}) {
    EXPECT_FALSE(open_comparisons_from_json(line).ok()) << line;
  }
}

}  // namespace
}  // namespace lockbench
