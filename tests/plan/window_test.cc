// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/plan/window.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/plan/expand.h"
#include "harness/bench/plan/json.h"
#include "harness/bench/plan/preset.h"
#include "harness/bench/plan/spelling.h"
#include "tests/plan/matchers.h"

namespace lockbench {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

Cell cell_of(std::uint32_t threads, const std::string& hold, const std::string& think) {
  Cell cell;
  cell.threads = threads;
  cell.hold = parse_work(hold).value();
  cell.think = parse_work(think).value();
  return cell;
}

WindowNeeds needs(const Cell& cell, std::uint32_t processors) {
  return window_needs(cell, {.processors = processors});
}

// The cells of results/reference/xeon-16vcpu/loads whose rows were lost to windows of 60 ms, and
// the longest of their tails: what their windows lasted beyond the end of the first thread.
TEST(Window, IsLongEnoughForEveryRowThatAShortOneLost) {
  struct Lost {
    std::uint32_t threads;
    const char* think;
    double tail_ms;
  };
  constexpr double kLeastOverlap = 0.95;
  for (const Lost& lost :
       {Lost{8, "exp:1.58ms", 6.66}, Lost{16, "exp:3.18ms", 23.27}, Lost{16, "exp:620us", 4.60},
        Lost{32, "exp:3.18ms", 23.17}, Lost{32, "exp:620us", 5.80}}) {
    SCOPED_TRACE(std::to_string(lost.threads) + " threads, " + lost.think);
    const auto overlap = [&](Nanoseconds window) {
      const double window_ms = std::chrono::duration<double, std::milli>(window).count();
      return window_ms / (window_ms + lost.tail_ms);
    };
    EXPECT_LT(overlap(milliseconds(60)), kLeastOverlap);
    const Nanoseconds window = needs(cell_of(lost.threads, "20us", lost.think), 16).window;
    EXPECT_GE(overlap(window), kLeastOverlap);
    EXPECT_LT(window, milliseconds(700)) << "a run has hundreds of such cells";
  }
}

TEST(Window, GrowsWithThinkTimeThreadsAndThreadsForEachProcessor) {
  const Nanoseconds few = needs(cell_of(2, "1us", "exp:100us"), 16).window;
  EXPECT_LT(few, needs(cell_of(2, "1us", "exp:1ms"), 16).window);
  const Nanoseconds many = needs(cell_of(16, "1us", "exp:100us"), 16).window;
  EXPECT_LT(few, many);
  EXPECT_LT(many, needs(cell_of(16, "1us", "exp:100us"), 2).window);
}

TEST(Window, ATimeThatIsNotDrawnIsNeverLongerThanItself) {
  EXPECT_EQ(needs(cell_of(16, "0", "1ms"), 16).window, milliseconds(19));
  EXPECT_GT(needs(cell_of(16, "0", "exp:1ms"), 16).window, milliseconds(100));
}

// A thread that sleeps when the window closes is late for nothing.
TEST(Window, ThreadsThatSleepNeedTheirOperationsAlone) {
  EXPECT_EQ(needs(cell_of(4, "1us", "sleep:exp:40ms"), 2).window, milliseconds(641));
  EXPECT_EQ(needs(cell_of(64, "1us", "sleep:exp:40ms"), 2).window, milliseconds(641));
}

TEST(Window, OfOneThreadHoldsSomeOperations) {
  EXPECT_EQ(needs(cell_of(1, "1ms", "exp:1ms"), 2).window, milliseconds(32));
  EXPECT_EQ(needs(cell_of(1, "1ms", "exp:1ms"), 2).warmup, milliseconds(6));
}

TEST(Window, WaitersOfTheBusiestKeyHoldItOnceMore) {
  Cell cell = cell_of(10, "1ms", "0");
  EXPECT_EQ(window_needs(cell, {.processors = 16}).window, milliseconds(190));
  EXPECT_EQ(window_needs(cell, {.holders_of_a_key = 5, .processors = 16}).window, milliseconds(38));
  cell.keys = 5;
  EXPECT_EQ(window_needs(cell, {.processors = 16}).window, milliseconds(38));
  EXPECT_EQ(window_needs(cell, {.one_lock = true, .processors = 16}).window, milliseconds(190));
}

TEST(Window, LeavesRoomBelowATimeLimit) {
  Cell cell = cell_of(16, "20us", "exp:3.18ms");
  cell.time_limit = milliseconds(300);
  EXPECT_EQ(needs(cell, 16).window, milliseconds(100));
}

TEST(Window, OfFixedWorkOfOpenLoopsAndAtServicesIsNotItsMatter) {
  for (const Mode mode : {Mode::kFixed, Mode::kOpen}) {
    Cell cell = cell_of(8, "1ms", "0");
    cell.mode = mode;
    EXPECT_EQ(needs(cell, 2).window, Nanoseconds{0});
  }
  EXPECT_EQ(window_needs(cell_of(8, "1ms", "0"), {.at_service = true}).window, Nanoseconds{0});
}

// A preset that is made for two processors, on sixteen.
Preset made_for_few() {
  Sweep sweep = counter_sweep();
  sweep.threads = {2, 16};
  sweep.holds = {parse_work("20us").value()};
  sweep.loads = {parse_load("10%").value(), parse_load("90%").value()};
  sweep.warmup = milliseconds(1);
  sweep.window = milliseconds(60);
  Preset preset = preset_of({sweep});
  preset.blocks = 1;
  return preset;
}

absl::StatusOr<CellTraits> on_sixteen(const Cell&) {
  return CellTraits{.processors = 16};
}

Cell cell_at(const Plan& plan, std::uint32_t threads, const std::string& load) {
  for (const Trial& trial : plan.trials) {
    if (trial.cell.threads == threads && to_text(trial.cell.load) == load) return trial.cell;
  }
  return {};
}

TEST(Window, ThePlanLengthensWhatAPresetHasAndSaysSo) {
  const Plan plan = expand(made_for_few(), on_sixteen).value();
  EXPECT_EQ(cell_at(plan, 2, "90%").window, milliseconds(60));
  const Cell longer = cell_at(plan, 16, "10%");
  EXPECT_EQ(longer.window, needs(longer, 16).window);
  EXPECT_EQ(longer.warmup, needs(longer, 16).warmup);
  EXPECT_EQ(longer.time_limit, time_limit_of(longer, {.processors = 16}));
  EXPECT_EQ(plan.windows.value(),
            "longer windows in 2 of 8 cells (452ms), which holds and think times need");
  EXPECT_THAT(to_json(plan), HasSubstr("longer windows in 2 of 8 cells"));
  EXPECT_EQ(plan_difference(plan, plan), "");
}

TEST(Window, APlanWhoseWindowsFitSaysNothing) {
  Preset preset = made_for_few();
  preset.sweeps.front().threads = {2};
  const Plan plan = expand(preset, on_sixteen).value();
  EXPECT_EQ(plan.windows, std::nullopt);
}

TEST(Window, WhatTheCommandLineAsksForIsTakenAsItIs) {
  Overrides overrides;
  overrides.sweep.window = milliseconds(50);
  overrides.sweep.warmup = milliseconds(2);
  const Plan plan = expand(apply(made_for_few(), overrides).value(), on_sixteen).value();
  EXPECT_EQ(cell_at(plan, 16, "10%").window, milliseconds(50));
  EXPECT_EQ(cell_at(plan, 16, "10%").warmup, milliseconds(2));
  EXPECT_EQ(plan.windows, std::nullopt);
}

TEST(Window, ThreadsThatTheCommandLineNamesGetTheWindowsThatTheyNeed) {
  Preset preset = made_for_few();
  preset.sweeps.front().threads = {2};
  Overrides overrides;
  overrides.sweep.threads = {16};
  const Plan plan = expand(apply(preset, overrides).value(), on_sixteen).value();
  EXPECT_EQ(cell_at(plan, 16, "10%").window, milliseconds(452));
}

TEST(Window, TheLongestOfAWorkIsWhatCanBeDrawn) {
  EXPECT_EQ(longest_of(parse_work("3us").value()), microseconds(3));
  EXPECT_GE(longest_of(parse_work("exp:1ms").value()), milliseconds(8));
  EXPECT_EQ(longest_of(parse_work("mix:1us/9us").value()), microseconds(9));
}

}  // namespace
}  // namespace lockbench
