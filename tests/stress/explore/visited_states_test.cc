// SPDX-License-Identifier: Apache-2.0

// A thread repeats itself if it comes to code in a state in which it was there before.

#include "harness/stress/explore/world/visited_states.h"

#include <optional>

#include <gtest/gtest.h>

namespace lockbench::stress::explore {
namespace {

constexpr char kHere = 0;
constexpr char kThere = 0;

TEST(VisitedStates, KnowsAVisitByItsCodeAndItsState) {
  VisitedStates visits;
  visits.add(&kHere, 7, 1);
  EXPECT_EQ(visits.last_visit(&kHere, 7), 1U);
  EXPECT_EQ(visits.last_visit(&kHere, 8), std::nullopt);
  EXPECT_EQ(visits.last_visit(&kThere, 7), std::nullopt);
}

TEST(VisitedStates, FindsTheLastOfSeveralEqualVisits) {
  VisitedStates visits;
  visits.add(&kHere, 7, 1);
  visits.add(&kHere, 7, 2);
  visits.add(&kHere, 8, 3);
  EXPECT_EQ(visits.last_visit(&kHere, 7), 2U);
}

TEST(VisitedStates, ForgetsWhatWasBeforeAChange) {
  VisitedStates visits;
  visits.add(&kHere, 7, 1);
  visits.clear();
  EXPECT_EQ(visits.last_visit(&kHere, 7), std::nullopt);
}

}  // namespace
}  // namespace lockbench::stress::explore
