// SPDX-License-Identifier: Apache-2.0

// The time at which a call must return moves if the lock may have counted from a later moment.

#include "harness/stress/explore/world/simulated_clock.h"

#include <gtest/gtest.h>

namespace lockbench::stress::explore {
namespace {

constexpr std::int64_t kNow = SimulatedClock::kStartNs;

TEST(SimulatedClock, CountsATimeoutFromTheFirstReadingOfACall) {
  SimulatedClock clock;
  clock.expect_answer(1, kNow + 100);
  clock.advance(kNow + 30);
  EXPECT_EQ(clock.read(1), kNow + 30);
  EXPECT_EQ(clock.next_due_ns(), kNow + 130);
  clock.advance(kNow + 50);
  clock.read(1);
  EXPECT_EQ(clock.next_due_ns(), kNow + 130);
}

TEST(SimulatedClock, GivesACallOnceMoreTheTimeThatPassedThoughItsThreadCouldRun) {
  SimulatedClock clock;
  clock.expect_answer(1, kNow + 100);
  clock.read(1);
  clock.advance(kNow + 100);
  clock.add_spare(1);
  EXPECT_TRUE(clock.became_due(1));
  EXPECT_FALSE(clock.any_overdue());
  EXPECT_TRUE(clock.any_due_later(true));
  EXPECT_FALSE(clock.any_due_later(false));
  EXPECT_EQ(clock.next_due_ns(), kNow + 200);
}

TEST(SimulatedClock, CountsWhatPassesAfterACallIsOverdue) {
  SimulatedClock clock;
  clock.expect_answer(1, kNow + 100);
  clock.read(1);
  clock.advance(kNow + 100);
  clock.add_overdue(1);
  EXPECT_EQ(clock.overdue_ns(1), 0);
  EXPECT_TRUE(clock.any_overdue());
  clock.advance(kNow + 170);
  clock.add_overdue(1);
  EXPECT_EQ(clock.overdue_ns(1), 70);
}

TEST(SimulatedClock, ForgetsACallThatReturned) {
  SimulatedClock clock;
  clock.expect_answer(1, kNow + 100);
  EXPECT_EQ(clock.last_before_due_ns(1), kNow + 99);
  clock.answered(1);
  EXPECT_EQ(clock.last_before_due_ns(1), SimulatedClock::kNever);
  EXPECT_EQ(clock.next_due_ns(), SimulatedClock::kNever);
  EXPECT_FALSE(clock.expects_any_answer());
}

}  // namespace
}  // namespace lockbench::stress::explore
