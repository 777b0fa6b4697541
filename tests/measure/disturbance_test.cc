// SPDX-License-Identifier: Apache-2.0

#include "harness/measure/disturbance.h"

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

TEST(Disturbance, ThreadsThatWorkedTogetherTooLittleAreOneWhereTimeDecides) {
  Sample sample = quiet();
  sample.overlap = 0.8;
  for (const Mode mode : {Mode::kTimed, Mode::kOpen}) {
    EXPECT_EQ(disturbance_of(cell_of(mode), sample), "thread overlap 80 % (minimum 95 %)");
  }
  EXPECT_EQ(disturbance_of(cell_of(Mode::kFixed), sample), "");
}

TEST(Disturbance, AWindowThatStretchedIsOneWhereTimeDecides) {
  Sample sample = quiet();
  sample.window_s = 0.15;
  for (const Mode mode : {Mode::kTimed, Mode::kOpen}) {
    EXPECT_EQ(disturbance_of(cell_of(mode), sample),
              "the window took 50 % longer than asked for (maximum 25 %)");
  }
  EXPECT_EQ(disturbance_of(cell_of(Mode::kFixed), sample), "");
}

TEST(Disturbance, AWindowWithoutAnOperationIsOneWhereTimeDecides) {
  Sample sample = quiet();
  sample.operations = 0;
  sample.timeouts = 0;
  EXPECT_EQ(disturbance_of(cell_of(Mode::kTimed), sample),
            "no operation fell into the window (minimum 1): use a longer window");
  sample.unserved = 0;
  EXPECT_EQ(disturbance_of(cell_of(Mode::kOpen), sample),
            "no operation fell into the window (minimum 1): use a longer window or a higher rate");
  EXPECT_EQ(disturbance_of(cell_of(Mode::kFixed), sample), "");
  // A lock that lets nobody in is measured: 0/s is its rate.
  sample.timeouts = 1;
  EXPECT_EQ(disturbance_of(cell_of(Mode::kTimed), sample), "");
  sample.timeouts = 0;
  sample.unserved = 1;
  EXPECT_EQ(disturbance_of(cell_of(Mode::kOpen), sample), "");
}

TEST(Disturbance, WhatIsJustWithinTheLimitsIsBelieved) {
  Sample sample = quiet();
  sample.overlap = 0.95;
  sample.window_s = 0.124;
  EXPECT_EQ(disturbance_of(cell_of(Mode::kTimed), sample), "");
}

TEST(Disturbance, LimitsCanBeChosen) {
  Sample sample = quiet();
  sample.overlap = 0.96;
  EXPECT_EQ(disturbance_of(cell_of(Mode::kTimed), sample, {.least_overlap = 0.97}),
            "thread overlap 96 % (minimum 97 %)");
}

TEST(Disturbance, AFigureIsWrittenWithDecimalsThatTellItFromItsLimit) {
  Sample sample = quiet();
  sample.overlap = 0.9496;
  EXPECT_EQ(disturbance_of(cell_of(Mode::kTimed), sample), "thread overlap 94.96 % (minimum 95 %)");
}

TEST(Disturbance, ATrialThatCameToNothingIsNotJudged) {
  Sample sample = quiet();
  sample.outcome = Outcome::kDeadlock;
  sample.pinning_held = false;
  EXPECT_EQ(disturbance_of(cell_of(Mode::kTimed), sample), "");
}

// 2 seconds of 4 processors, of which others worked 1.5 and the host took 0.8.
TEST(ProcessorUseOfATrial, OfAShortWindowTheRecentUseStandsIn) {
  Sample sample;
  add_recent_use({.all = 40, .busy = 30}, 0.2, sample);
  EXPECT_DOUBLE_EQ(sample.other_cpu_share.value(), 0.25);
  add_recent_use({.all = 40, .busy = 40}, 0, sample);
  EXPECT_DOUBLE_EQ(sample.other_cpu_share.value(), 0.25) << "the window's own was replaced";
  Sample unknown;
  add_recent_use({.all = 19, .busy = 19}, 0, unknown);
  EXPECT_FALSE(unknown.other_cpu_share.has_value());
}

constexpr std::uint32_t kProcessors = 2;

Cell cell_of_threads(std::uint32_t threads) {
  Cell cell = cell_of(Mode::kTimed);
  cell.threads = threads;
  return cell;
}

// Another process used one of two processors in the window.
Sample crowded() {
  return {
      .window_s = 0.1, .run_delay_share = 0.31, .denied_cpu_share = 0.2, .other_cpu_share = 0.5};
}

TEST(Interference, AHostThatTookTooMuchIsOneInEveryMode) {
  Sample sample = quiet();
  sample.steal_share = 0.21;
  for (const Mode mode : {Mode::kTimed, Mode::kOpen, Mode::kFixed}) {
    EXPECT_EQ(interference_of(cell_of(mode), sample, kProcessors),
              "the host took 21 % of the machine's time (maximum 10 %)");
    EXPECT_EQ(disturbance_of(cell_of(mode), sample), "");
  }
  sample.steal_share = 0.10;
  EXPECT_EQ(interference_of(cell_of(Mode::kTimed), sample, kProcessors), "");
  EXPECT_NE(interference_of(cell_of(Mode::kTimed), sample, kProcessors, {.most_steal = 0.03}), "");
}

TEST(Interference, AQuotaThatStoppedTheThreadsIsSaidWithItsLimit) {
  Sample sample = crowded();
  sample.throttled_s = 0.09;
  EXPECT_EQ(interference_of(cell_of_threads(1), sample, kProcessors),
            "the quota of CPU time stopped the threads for 90 % of the window (maximum 5 %)");
  EXPECT_EQ(interference_of(cell_of_threads(8), sample, kProcessors),
            "the quota of CPU time stopped the threads for 45 % of the window (maximum 5 %)");
  sample.throttled_s = 7;  // which began long before the window
  EXPECT_EQ(throttling_of(cell_of_threads(8), sample, kProcessors),
            "the quota of CPU time stopped the threads for 100 % of the window (maximum 5 %)");
  sample.throttled_s = 0.01;
  EXPECT_EQ(throttling_of(cell_of_threads(8), sample, kProcessors), "");
  EXPECT_EQ(throttling_of(cell_of_threads(8), {}, kProcessors), "");
}

TEST(Interference, OfAQuotaWhatItDidInTheWindowCounts) {
  Sample sample;
  add_throttling(Throttling{.periods = 5, .stopped_s = 1}, Throttling{.periods = 7, .stopped_s = 3},
                 sample);
  EXPECT_EQ(sample.throttled_periods, 2u);
  EXPECT_EQ(sample.throttled_s, 2);
  Sample unknown;
  add_throttling(std::nullopt, Throttling{}, unknown);
  EXPECT_FALSE(unknown.throttled_periods || unknown.throttled_s);
}

TEST(Interference, ARunDelayIsSaidWithItsLimit) {
  EXPECT_EQ(interference_of(cell_of_threads(2), crowded(), kProcessors),
            "run delay 31 % of the window (maximum 5 %)");
}

TEST(Interference, WhatManyThreadsWereDeniedIsSaidWithItsLimit) {
  EXPECT_EQ(interference_of(cell_of_threads(3), crowded(), kProcessors),
            "other processes took 20 % of the processors' time from the threads (maximum 5 %)");
}

TEST(Interference, ThreadsThatOutnumberTheProcessorsMayWaitForEachOther) {
  Sample sample = crowded();
  sample.denied_cpu_share = 0;
  EXPECT_EQ(interference_of(cell_of_threads(3), sample, kProcessors), "");
}

TEST(Interference, ThreadsThatDelayEachOtherOnOneProcessorAreNone) {
  Sample sample = crowded();
  sample.other_cpu_share = 0.05;  // a tick of one processor
  EXPECT_EQ(interference_of(cell_of_threads(2), sample, kProcessors), "");
}

TEST(Interference, OfOthersOnlyWhatTheyUsedCanHaveBeenTaken) {
  Sample sample = crowded();
  sample.other_cpu_share = 0.15;
  EXPECT_EQ(interference_of(cell_of_threads(3), sample, kProcessors),
            "other processes took 10 % of the processors' time from the threads (maximum 5 %)");
}

TEST(Interference, ATrialThatOthersHardlyRanInIsQuiet) {
  Sample sample = crowded();
  sample.run_delay_share = 0.05;
  sample.denied_cpu_share = 0.05;
  for (const std::uint32_t threads : {1u, 8u}) {
    EXPECT_EQ(interference_of(cell_of_threads(threads), sample, kProcessors), "");
    EXPECT_EQ(interference_of(cell_of_threads(threads), Sample{}, kProcessors), "");
  }
}

TEST(Interference, LimitsAreTheCallers) {
  EXPECT_EQ(interference_of(cell_of_threads(1), crowded(), kProcessors, {.most_interference = 1}),
            "");
}

// One thread, 418 operations in 100 ms: it got a processor for 0.35 ms.
TEST(Interference, AThreadThatHardlyRanIsDisturbed) {
  const Sample sample{.operations = 418,
                      .window_s = 0.1,
                      .overlap = 1.0,
                      .run_delay_share = 0.9965,
                      .denied_cpu_share = 0.9965,
                      .other_cpu_share = 0.998};
  EXPECT_EQ(interference_of(cell_of_threads(1), sample, kProcessors),
            "run delay 100 % of the window (maximum 5 %)");
}

Sample that_used(double cpu_s) {
  return {.cpu_user_s = cpu_s, .cpu_system_s = 0};
}

TEST(ProcessorUseOfATrial, OwnWorkIsNotThatOfOthers) {
  Sample sample = that_used(3);
  add_processor_use({.all = 800, .busy = 450, .stolen = 80}, sample);
  EXPECT_DOUBLE_EQ(sample.steal_share.value(), 0.1);
  EXPECT_DOUBLE_EQ(sample.other_cpu_share.value(), 1.5 / 8);
}

TEST(ProcessorUseOfATrial, OthersNeverDidLessThanNothing) {
  Sample sample = that_used(5);
  add_processor_use({.all = 800, .busy = 450}, sample);
  EXPECT_EQ(sample.other_cpu_share, 0.0);
}

TEST(ProcessorUseOfATrial, SharesOfTooFewTicksAreAbsent) {
  Sample few;
  add_processor_use({.all = 19, .busy = 1, .stolen = 1}, few);
  EXPECT_FALSE(few.steal_share || few.other_cpu_share);
  Sample enough;
  add_processor_use({.all = 21, .busy = 1, .stolen = 1}, enough);
  EXPECT_TRUE(enough.steal_share && enough.other_cpu_share);
}

}  // namespace
}  // namespace lockbench
