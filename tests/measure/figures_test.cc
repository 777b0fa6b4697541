// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "harness/bench/measure/conclude.h"

namespace lockbench {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Work sleep(Nanoseconds duration) {
  return {.kind = Work::Kind::kSleep, .duration = duration};
}

Work spin(Nanoseconds duration) {
  return {.kind = Work::Kind::kSpin, .duration = duration};
}

std::optional<double> jain(const std::vector<std::uint64_t>& shares) {
  return jain_index(shares);
}

std::optional<double> overlap(const std::vector<Interval>& threads) {
  return overlap_of(threads);
}

Cell fixed_cell(std::uint32_t threads, std::uint64_t operations, const Work& hold,
                const Work& think = {}) {
  return {.mode = Mode::kFixed,
          .threads = threads,
          .hold = hold,
          .think = think,
          .operations = operations};
}

TEST(JainIndex, IsOneForEqualSharesAndOneOverTheirNumberWhenOneHasEverything) {
  EXPECT_DOUBLE_EQ(jain({7, 7, 7}).value(), 1.0);
  EXPECT_DOUBLE_EQ(jain({5}).value(), 1.0);
  EXPECT_DOUBLE_EQ(jain({9, 0, 0, 0}).value(), 0.25);
  EXPECT_DOUBLE_EQ(jain({1, 2, 3}).value(), 36.0 / 42.0);
  EXPECT_EQ(jain({0, 0}), std::nullopt);
  EXPECT_EQ(jain({}), std::nullopt);
}

TEST(Overlap, IsTheShareOfTimeInWhichAllWorked) {
  EXPECT_DOUBLE_EQ(overlap({{0, 4}, {0, 4}}).value(), 1.0);
  EXPECT_DOUBLE_EQ(overlap({{0, 3}, {1, 4}}).value(), 0.5);
  EXPECT_DOUBLE_EQ(overlap({{1, 2}, {0, 4}, {0, 4}}).value(), 0.25);
  EXPECT_DOUBLE_EQ(overlap({{2, 5}}).value(), 1.0);
  EXPECT_DOUBLE_EQ(overlap({{0, 1}, {2, 3}}).value(), 0.0);
  EXPECT_EQ(overlap({{1, 1}, {1, 1}}), std::nullopt);
  EXPECT_EQ(overlap({}), std::nullopt);
}

// 21 threads on six counters, and 1000 threads on twelve, 100 ms a hold.
TEST(IdealSeconds, OfThePublishedExperimentsIsTheirBusiestCounter) {
  const HoldBound six{.busiest_key_holds = 6, .busiest_thread_holds = 1, .holds = 21};
  EXPECT_DOUBLE_EQ(ideal_seconds(six, fixed_cell(21, 1, sleep(milliseconds(100))), 1, 2).value(),
                   0.6);
  const HoldBound twelve{.busiest_key_holds = 92, .busiest_thread_holds = 1, .holds = 1000};
  EXPECT_DOUBLE_EQ(
      ideal_seconds(twelve, fixed_cell(1000, 1, sleep(milliseconds(100))), 1, 2).value(), 9.2);
}

TEST(IdealSeconds, ACapacityDividesTheBusiestKey) {
  const HoldBound bound{.busiest_key_holds = 40, .busiest_thread_holds = 1, .holds = 40};
  EXPECT_DOUBLE_EQ(ideal_seconds(bound, fixed_cell(40, 1, sleep(milliseconds(10))), 10, 2).value(),
                   0.04);
}

TEST(IdealSeconds, NoThreadIsFasterThanItsOwnHoldsAndThinking) {
  const HoldBound bound{.busiest_key_holds = 6, .busiest_thread_holds = 5, .holds = 10};
  const Cell cell = fixed_cell(2, 5, sleep(milliseconds(10)), sleep(milliseconds(30)));
  EXPECT_DOUBLE_EQ(ideal_seconds(bound, cell, 1, 2).value(), 0.2);
}

TEST(IdealSeconds, WhatIsComputedNeedsProcessors) {
  const HoldBound bound{.busiest_key_holds = 10, .busiest_thread_holds = 10, .holds = 80};
  const Cell spun = fixed_cell(8, 10, spin(milliseconds(1)), spin(milliseconds(2)));
  EXPECT_DOUBLE_EQ(ideal_seconds(bound, spun, 1, 2).value(), 0.12);
  EXPECT_DOUBLE_EQ(ideal_seconds(bound, spun, 1, 16).value(), 0.03);
  const Cell slept = fixed_cell(8, 10, sleep(milliseconds(1)), sleep(milliseconds(2)));
  EXPECT_DOUBLE_EQ(ideal_seconds(bound, slept, 1, 2).value(), 0.03);
}

TEST(IdealSeconds, IsAbsentWhereNothingOfKnownLengthIsHeld) {
  const HoldBound bound{.busiest_key_holds = 1, .busiest_thread_holds = 1, .holds = 1};
  const Work touch{.kind = Work::Kind::kTouch, .lines = 8};
  EXPECT_EQ(ideal_seconds(bound, fixed_cell(1, 1, touch), 1, 2), std::nullopt);
  EXPECT_EQ(ideal_seconds(bound, fixed_cell(1, 1, sleep(seconds(1)), touch), 1, 2), std::nullopt);
  EXPECT_EQ(ideal_seconds(bound, fixed_cell(1, 1, {}, sleep(seconds(1))), 1, 2), std::nullopt);
}

TEST(StallWatch, TellsWhenNothingMovedForTheLimit) {
  StallWatch watch(2);
  EXPECT_FALSE(watch.stalled(10, 5));
  EXPECT_FALSE(watch.stalled(11.9, 5));
  EXPECT_TRUE(watch.stalled(12, 5));
  EXPECT_FALSE(StallWatch(2).stalled(1000, 0)) << "time before the first look does not count";
}

TEST(StallWatch, AnyChangeIsProgress) {
  StallWatch watch(2);
  EXPECT_FALSE(watch.stalled(0, 5));
  EXPECT_FALSE(watch.stalled(1.9, 6));
  EXPECT_FALSE(watch.stalled(3.8, 5));
  EXPECT_FALSE(watch.stalled(5.7, 5));
  EXPECT_TRUE(watch.stalled(5.8, 5));
}

TEST(StallWatch, WithoutALimitNothingIsAStall) {
  StallWatch watch(0);
  EXPECT_FALSE(watch.stalled(0, 5));
  EXPECT_FALSE(watch.stalled(1e9, 5));
}

using Progress = std::vector<ThreadProgress>;

ThreadProgress ended(std::uint64_t attempts) {
  return {.in_loop = true, .attempts = attempts};
}

TEST(StarvationWatch, FindsTheThreadThatEndsNothingWhileOthersDo) {
  StarvationWatch watch;
  watch.look(1.0, Progress{ended(5), ended(7)});
  EXPECT_FALSE(watch.longest().has_value()) << "one look says nothing";
  watch.look(2.0, Progress{ended(5), ended(9)});
  watch.look(4.5, Progress{ended(5), ended(10)});
  const StarvationWatch::Starved starved = watch.longest().value();
  EXPECT_DOUBLE_EQ(starved.seconds, 3.5);
  EXPECT_EQ(starved.others, 3u);
}

TEST(StarvationWatch, AThreadThatEndsItsOperationStartsAnew) {
  StarvationWatch watch;
  watch.look(0, Progress{ended(5), ended(7)});
  watch.look(3, Progress{ended(6), ended(9)});
  watch.look(4, Progress{ended(6), ended(11)});
  EXPECT_DOUBLE_EQ(watch.longest().value().seconds, 1);
}

// Without anybody's progress it is no starvation: that is a deadlock, or a very long hold.
TEST(StarvationWatch, IsNotSeenWhereNobodyEndsAnything) {
  StarvationWatch watch;
  watch.look(0, Progress{ended(5), ended(7)});
  watch.look(9, Progress{ended(5), ended(7)});
  EXPECT_FALSE(watch.longest().has_value());
}

TEST(StarvationWatch, OfThreadsThatHaveNotBegunOrHaveFinishedSaysNothing) {
  StarvationWatch watch;
  const ThreadProgress out{.in_loop = false, .attempts = 5};
  watch.look(0, Progress{out, ended(7)});
  watch.look(3, Progress{out, ended(8)});
  EXPECT_FALSE(watch.longest().has_value());
  // It counts from when it was seen to have begun.
  watch.look(4, Progress{ended(5), ended(9)});
  watch.look(6, Progress{ended(5), ended(10)});
  EXPECT_DOUBLE_EQ(watch.longest().value().seconds, 2);
  watch.look(7, Progress{out, ended(11)});
  EXPECT_FALSE(watch.longest().has_value());
}

TEST(StarvationWatch, OnlyLongerThanTwoOfTheLongestOperationsCounts) {
  Cell cell;
  EXPECT_EQ(least_starvation(cell), Nanoseconds{0}) << "without a stall limit nothing is judged";
  cell.stall_limit = std::chrono::seconds(2);
  EXPECT_EQ(least_starvation(cell), std::chrono::seconds(1));
  cell.hold = {.kind = Work::Kind::kMixedSpin,
               .duration = std::chrono::milliseconds(300),
               .mix = {Nanoseconds{0}, std::chrono::milliseconds(900)}};
  EXPECT_EQ(least_starvation(cell), std::chrono::milliseconds(1800));
}

}  // namespace
}  // namespace lockbench
