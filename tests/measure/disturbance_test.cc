// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/disturbance.h"

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

TEST(Disturbance, NothingIsSaidOfAQuietTrialAndOfAbsentFigures) {
  for (const Mode mode : {Mode::kTimed, Mode::kOpen, Mode::kFixed}) {
    EXPECT_EQ(disturbance_of(cell_of(mode), quiet()), "");
    EXPECT_EQ(disturbance_of(cell_of(mode), Sample{}), "");
  }
}

TEST(Disturbance, IsToldWithItsLimitWhereTimeDecides) {
  struct {
    double overlap;
    double window_s;
    const char* said;
  } const rows[] = {
      {0.8, 0.1, "thread overlap 80 % (minimum 95 %)"},
      {0.9496, 0.1, "thread overlap 94.96 % (minimum 95 %)"},
      {1, 0.15, "the window took 50 % longer than asked for (maximum 25 %)"},
      {0.95, 0.124, ""},
  };
  for (const auto& row : rows) {
    Sample sample = quiet();
    sample.overlap = row.overlap;
    sample.window_s = row.window_s;
    for (const Mode mode : {Mode::kTimed, Mode::kOpen}) {
      EXPECT_EQ(disturbance_of(cell_of(mode), sample), row.said);
    }
    EXPECT_EQ(disturbance_of(cell_of(Mode::kFixed), sample), "");
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

TEST(Disturbance, LimitsCanBeChosen) {
  Sample sample = quiet();
  sample.overlap = 0.96;
  EXPECT_EQ(disturbance_of(cell_of(Mode::kTimed), sample, {.least_overlap = 0.97}),
            "thread overlap 96 % (minimum 97 %)");
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

TEST(Interference, IsTheRunDelayOrWhatManyThreadsWereDenied) {
  struct {
    std::uint32_t threads;
    double run_delay, denied, others;  // shares of the window, and of the processors
    const char* said;
  } const rows[] = {
      {2, 0.31, 0.2, 0.5, "run delay 31 % of the window (maximum 5 %)"},
      // One thread that got a processor for 0.35 ms of 100.
      {1, 0.9965, 0.9965, 0.998, "run delay 100 % of the window (maximum 5 %)"},
      {3, 0.31, 0.2, 0.5,
       "other processes took 20 % of the processors' time from the threads (maximum 5 %)"},
      // Others can have taken only what they used.
      {3, 0.31, 0.2, 0.15,
       "other processes took 10 % of the processors' time from the threads (maximum 5 %)"},
      // Threads that outnumber the processors wait for each other.
      {3, 0.31, 0, 0.5, ""},
      // Threads delay each other on one processor; others used a tick of it.
      {2, 0.31, 0.2, 0.05, ""},
      // Just within the limits.
      {1, 0.05, 0.05, 0.5, ""},
      {8, 0.05, 0.05, 0.5, ""},
  };
  for (const auto& row : rows) {
    const Sample sample{.window_s = 0.1,
                        .run_delay_share = row.run_delay,
                        .denied_cpu_share = row.denied,
                        .other_cpu_share = row.others};
    EXPECT_EQ(interference_of(cell_of_threads(row.threads), sample, kProcessors), row.said);
    EXPECT_EQ(interference_of(cell_of_threads(row.threads), Sample{}, kProcessors), "");
  }
}

TEST(Interference, LimitsAreTheCallers) {
  EXPECT_EQ(interference_of(cell_of_threads(1), crowded(), kProcessors, {.most_interference = 1}),
            "");
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
