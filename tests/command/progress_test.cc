// SPDX-License-Identifier: Apache-2.0

#include "harness/base/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/command/run/session.h"

namespace lockbench {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr ProgressState kHalfWay{.done = 10,
                                 .total = 20,
                                 .elapsed_s = 70,  // 40 s of them waited for a quiet machine
                                 .measured_s = 30,
                                 .expected_done_s = 10,
                                 .expected_total_s = 20};

ProgressState half_way(double later_s, double budget_left_s) {
  ProgressState state = kHalfWay;
  state.later_s = later_s;
  state.budget_left_s = budget_left_s;
  return state;
}

TEST(SecondsLeft, AreAsExpectedBeforeTheFirstTrial) {
  EXPECT_DOUBLE_EQ(seconds_left({.total = 20, .expected_total_s = 20}), 20);
}

TEST(SecondsLeft, StretchAsTheTrialsSoFarDid) {
  EXPECT_DOUBLE_EQ(seconds_left(kHalfWay), 30);
}

TEST(SecondsLeft, CountOnlyThisSessionAfterAResume) {
  EXPECT_DOUBLE_EQ(seconds_left({.done = 50, .total = 60, .expected_total_s = 7}), 7);
}

TEST(SecondsLeft, AreNeverNegative) {
  EXPECT_DOUBLE_EQ(
      seconds_left({.measured_s = 1, .expected_done_s = 0.3, .expected_total_s = 0.2999}), 0);
}

TEST(SecondsLeft, IncludeTrialsThatArePlannedLater) {
  EXPECT_DOUBLE_EQ(seconds_left(half_way(5, 100)), 30 + 15);
  EXPECT_DOUBLE_EQ(seconds_left(half_way(0, 100)), 30);
}

TEST(SecondsLeft, EndWithTheBudgetButNotBeforeThePlan) {
  EXPECT_DOUBLE_EQ(seconds_left(half_way(kUnknownS, 100)), 100);
  EXPECT_DOUBLE_EQ(seconds_left(half_way(20, 80)), 80);
  EXPECT_DOUBLE_EQ(seconds_left(half_way(kUnknownS, 7)), 30);
}

TEST(ProcessSeconds, GrowWithTheThreadsThatHaveNoProcessor) {
  EXPECT_DOUBLE_EQ(process_s(1, 2), process_s(2, 2));
  EXPECT_GT(process_s(3, 2), process_s(2, 2));
  EXPECT_NEAR(process_s(64, 2), 0.1, 0.02);
}

TEST(ProgressLine, SaysDoneTotalAndTimeLeft) {
  EXPECT_EQ(progress_line(kHalfWay), "10/20 trials, 0:30 left");
}

TEST(ProgressLine, SaysIfOnlyTheBudgetLimitsTheTime) {
  EXPECT_EQ(progress_line(half_way(kUnknownS, 42)), "10/20 trials, at most 0:42 left");
  EXPECT_EQ(progress_line(half_way(5, 100)), "10/20 trials, 0:45 left");
}

TEST(ProgressLine, SaysHowLongItTookAtTheEnd) {
  EXPECT_EQ(progress_line({.done = 3, .total = 3, .elapsed_s = 125}), "3/3 trials, 2:05 in all");
}

TEST(ProgressBar, IsFilledAsFarAsTheTrialsAreDone) {
  EXPECT_EQ(progress_bar(kHalfWay, "keyed", 80),
            "[==========          ] 10/20 trials, 0:30 left  keyed");
}

TEST(ProgressBar, IsEmptyAtTheStartAndFullAtTheEnd) {
  EXPECT_THAT(progress_bar({.total = 3}, "", 80), StartsWith("[                    ]"));
  EXPECT_THAT(progress_bar({.done = 3, .total = 3}, "", 80), StartsWith("[====================]"));
}

TEST(ProgressBar, FitsEveryWidth) {
  for (std::size_t width = 0; width < 100; ++width) {
    EXPECT_LE(progress_bar(kHalfWay, std::string(100, 'x'), width).size(), width);
  }
}

TEST(ProgressBar, GivesUpTheBarBeforeTheFigures) {
  const std::string text = progress_bar(kHalfWay, "keyed", 30);
  EXPECT_THAT(text, HasSubstr("10/20 trials, 0:30 left"));
  EXPECT_THAT(text, Not(HasSubstr("[")));
}

TEST(ClockText, HasHoursOnlyWhereThereAreAny) {
  EXPECT_EQ(clock_text(0), "0:00");
  EXPECT_EQ(clock_text(6.2), "0:07");
  EXPECT_EQ(clock_text(59.5), "1:00");
  EXPECT_EQ(clock_text(3723), "1:02:03");
}

TEST(RoughDuration, IsAsExactAsAnEstimateDeserves) {
  EXPECT_EQ(rough_duration(0.2), "1 s");
  EXPECT_EQ(rough_duration(119), "119 s");
  EXPECT_EQ(rough_duration(121), "3 min");
  EXPECT_EQ(rough_duration(12000), "3 h 20 min");
}

}  // namespace
}  // namespace lockbench
