// SPDX-License-Identifier: Apache-2.0

#include "workloads/work.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tests/workloads/during_hold.h"
#include "workloads/spin_pace.h"

namespace lockbench {
namespace {

TEST(SpinPace, IsMeasuredAsFinitePositiveFigures) {
  const SpinPace pace = SpinPace::measure();
  EXPECT_TRUE(std::isfinite(pace.steps_per_ns));
  EXPECT_GT(pace.steps_per_ns, 0);
  EXPECT_TRUE(std::isfinite(pace.entry_ns));
  EXPECT_GE(pace.entry_ns, 0);
  EXPECT_TRUE(std::isfinite(pace.clocked_entry_ns));
}

TEST(SpinPace, OfATrialHasWhatTheWorksOfTheTrialNeed) {
  const SpinPace nothing;
  const Work none;
  const Work sleep{.kind = Work::Kind::kSleep, .duration = Nanoseconds(100)};
  const Work short_spin{.kind = Work::Kind::kSpin, .duration = kClockedFrom - Nanoseconds(1)};
  const Work long_spin{.kind = Work::Kind::kSpin, .duration = kClockedFrom};
  const Work random{.kind = Work::Kind::kRandomSpin, .duration = Nanoseconds(100)};
  const auto spins = [&](const SpinPace& pace) {
    return pace.steps_per_ns != nothing.steps_per_ns;
  };
  const auto reads_clock = [&](const SpinPace& pace) {
    return pace.clocked_entry_ns != nothing.clocked_entry_ns;
  };
  for (const bool swapped : {false, true}) {
    const auto pace_for = [swapped](const Work& one, const Work& other) {
      return swapped ? measure_pace_for(other, one) : measure_pace_for(one, other);
    };
    EXPECT_FALSE(spins(pace_for(none, sleep)));
    EXPECT_FALSE(reads_clock(pace_for(none, sleep)));
    EXPECT_TRUE(spins(pace_for(none, short_spin)));
    EXPECT_FALSE(reads_clock(pace_for(none, short_spin)));
    EXPECT_TRUE(spins(pace_for(sleep, long_spin)));
    EXPECT_TRUE(reads_clock(pace_for(sleep, long_spin)));
    EXPECT_TRUE(spins(pace_for(none, random)));
    EXPECT_TRUE(reads_clock(pace_for(none, random)));
    EXPECT_GT(pace_for(none, sleep).clock_ns, 0);
  }
}

TEST(Worker, TouchesEachOfItsLinesOnceAndNoOther) {
  const Worker worker({.kind = Work::Kind::kTouch, .lines = 3}, {});
  EXPECT_EQ(worker.lines(), 3u);
  std::vector<CacheLine> lines(4);
  worker.perform(lines.data());
  worker.perform(lines.data());
  for (const std::size_t i : {0, 1, 2}) EXPECT_EQ(lines[i].words[0], 2u);
  EXPECT_EQ(lines[3].words[0], 0u);
}

TEST(Worker, SleepsOncePerPerformance) {
  int slept = 0;
  const Worker worker({.kind = Work::Kind::kSleep, .duration = std::chrono::hours(1)}, {});
  for (int i = 0; i < 3; ++i) {
    during_next_hold([&slept] { ++slept; });
    worker.perform(nullptr);
  }
  EXPECT_EQ(slept, 3);
}

TEST(Worker, NeedsNoLinesForWorkThatTouchesNone) {
  for (const Work& work : {Work{}, Work{.kind = Work::Kind::kSpin, .duration = Nanoseconds(0)},
                           Work{.kind = Work::Kind::kSpin, .duration = Nanoseconds(50)},
                           Work{.kind = Work::Kind::kSpin, .duration = kClockedFrom}}) {
    const Worker worker(work, SpinPace::measure());
    EXPECT_EQ(worker.lines(), 0u);
    worker.perform(nullptr);
  }
}

}  // namespace
}  // namespace lockbench
