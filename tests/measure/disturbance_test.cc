// SPDX-License-Identifier: Apache-2.0

#include "harness/measure/disturbance.h"

#include <unistd.h>

#include <gtest/gtest.h>

namespace lockbench {
namespace {

Cell cell_of(Mode mode) {
  return {.mode = mode, .window = std::chrono::milliseconds(100)};
}

// A trial against which nothing is known.
Sample quiet() {
  return {.window_s = 0.1, .overlap = 1, .pinning_held = true, .steal_share = 0};
}

TEST(Disturbance, NothingIsSaidOfAQuietTrial) {
  for (const Mode mode : {Mode::kTimed, Mode::kOpen, Mode::kFixed}) {
    EXPECT_EQ(disturbance_of(cell_of(mode), quiet()), "");
  }
}

TEST(Disturbance, FiguresThatAreAbsentJudgeNothing) {
  for (const Mode mode : {Mode::kTimed, Mode::kOpen, Mode::kFixed}) {
    EXPECT_EQ(disturbance_of(cell_of(mode), Sample{}), "");
  }
}

TEST(Disturbance, APinningThatDidNotHoldIsOneInEveryMode) {
  Sample sample = quiet();
  sample.pinning_held = false;
  for (const Mode mode : {Mode::kTimed, Mode::kOpen, Mode::kFixed}) {
    EXPECT_EQ(disturbance_of(cell_of(mode), sample),
              "a thread ran on another processor than it was bound to");
  }
}

TEST(Disturbance, AHostThatTookTooMuchIsOneInEveryMode) {
  Sample sample = quiet();
  sample.steal_share = 0.21;
  for (const Mode mode : {Mode::kTimed, Mode::kOpen, Mode::kFixed}) {
    EXPECT_EQ(disturbance_of(cell_of(mode), sample),
              "the host took 21 % of the machine's time, more than 10 %");
  }
}

TEST(Disturbance, ThreadsThatWorkedTogetherTooLittleAreOneWhereTimeDecides) {
  Sample sample = quiet();
  sample.overlap = 0.8;
  for (const Mode mode : {Mode::kTimed, Mode::kOpen}) {
    EXPECT_EQ(disturbance_of(cell_of(mode), sample),
              "the threads worked together for 80 % of the time, less than 95 %");
  }
  EXPECT_EQ(disturbance_of(cell_of(Mode::kFixed), sample), "");
}

TEST(Disturbance, AWindowThatStretchedIsOneWhereTimeDecides) {
  Sample sample = quiet();
  sample.window_s = 0.15;
  for (const Mode mode : {Mode::kTimed, Mode::kOpen}) {
    EXPECT_EQ(disturbance_of(cell_of(mode), sample),
              "the window took 50 % longer than asked for, more than 25 %");
  }
  EXPECT_EQ(disturbance_of(cell_of(Mode::kFixed), sample), "");
}

TEST(Disturbance, WhatIsJustWithinTheLimitsIsBelieved) {
  Sample sample = quiet();
  sample.overlap = 0.95;
  sample.steal_share = 0.10;
  sample.window_s = 0.124;
  EXPECT_EQ(disturbance_of(cell_of(Mode::kTimed), sample), "");
}

TEST(Disturbance, LimitsCanBeChosen) {
  Sample sample = quiet();
  sample.steal_share = 0.04;
  EXPECT_EQ(disturbance_of(cell_of(Mode::kTimed), sample, {.most_steal = 0.03}),
            "the host took 4 % of the machine's time, more than 3 %");
}

TEST(Disturbance, ATrialThatCameToNothingIsNotJudged) {
  Sample sample = quiet();
  sample.outcome = Outcome::kDeadlock;
  sample.pinning_held = false;
  EXPECT_EQ(disturbance_of(cell_of(Mode::kTimed), sample), "");
}

// 2 seconds of 4 processors, of which others worked 1.5 and the host took 0.8.
constexpr HostUsage kBefore{.busy_s = 100, .stolen_s = 10, .total_s = 1000};
constexpr HostUsage kAfter{.busy_s = 104.5, .stolen_s = 10.8, .total_s = 1008};

TEST(HostUsage, OwnWorkIsNotThatOfOthers) {
  Sample sample{.cpu_user_s = 2, .cpu_system_s = 1};
  add_host_usage(kBefore, kAfter, sample);
  EXPECT_NEAR(sample.steal_share.value(), 0.1, 1e-9);
  EXPECT_NEAR(sample.other_cpu_share.value(), 1.5 / 8, 1e-9);
}

// The kernel counts a process's time and the machine's with different clocks.
TEST(HostUsage, OthersNeverDidLessThanNothing) {
  Sample sample{.cpu_user_s = 5, .cpu_system_s = 1};
  add_host_usage(kBefore, kAfter, sample);
  EXPECT_EQ(sample.other_cpu_share, 0.0);
}

TEST(HostUsage, SharesOfTooFewTicksAreAbsent) {
  const double tick_s = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  Sample few{};
  add_host_usage({}, {.busy_s = tick_s, .stolen_s = tick_s, .total_s = 19 * tick_s}, few);
  EXPECT_EQ(few.steal_share, std::nullopt);
  EXPECT_EQ(few.other_cpu_share, std::nullopt);
  Sample enough{};
  add_host_usage({}, {.busy_s = tick_s, .stolen_s = tick_s, .total_s = 21 * tick_s}, enough);
  EXPECT_NEAR(enough.steal_share.value(), 1.0 / 21, 1e-9);
}

TEST(HostUsage, OfThisMachineOnlyGrows) {
  const std::optional<HostUsage> before = HostUsage::now();
  const std::optional<HostUsage> after = HostUsage::now();
  ASSERT_EQ(before.has_value(), after.has_value());
  if (!before) GTEST_SKIP() << "/proc/stat does not tell";
  EXPECT_GT(before->total_s, 0);
  EXPECT_GE(after->total_s, before->total_s);
  EXPECT_GE(before->total_s, before->busy_s + before->stolen_s);
}

}  // namespace
}  // namespace lockbench
