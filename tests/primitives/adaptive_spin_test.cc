// SPDX-License-Identifier: Apache-2.0

// AdaptiveSpin: whether a thread that waits looks for a while before it sleeps.
#include "primitives/internal/adaptive_spin.h"

#include <gtest/gtest.h>

namespace lockbench::internal {
namespace {

// How many of so many waits begin with a look that is `lucky` or not.
int tries(AdaptiveSpin& spin_state, int waits, bool lucky) {
  int tried = 0;
  for (int i = 0; i < waits; ++i) {
    if (!spin_state.should_spin()) continue;
    ++tried;
    spin_state.note(lucky);
  }
  return tried;
}

TEST(AdaptiveSpin, AThreadThatNeverWaitedTries) {
  EXPECT_TRUE(AdaptiveSpin().should_spin());
}

TEST(AdaptiveSpin, TheLuckyTryEachTime) {
  AdaptiveSpin spin_state;
  EXPECT_EQ(tries(spin_state, 1000, true), 1000);
}

TEST(AdaptiveSpin, TheUnluckyTryNowAndThen) {
  AdaptiveSpin spin_state;
  tries(spin_state, 100, false);
  EXPECT_EQ(tries(spin_state, 800, false), 100);
}

TEST(AdaptiveSpin, ALuckyTryMakesUpForSomeOfTheOthers) {
  AdaptiveSpin spin_state;
  tries(spin_state, 100, false);
  while (tries(spin_state, 1, true) == 0) {
  }
  EXPECT_GT(tries(spin_state, 10, false), 1);
}

TEST(AdaptiveSpin, LooksUntilOneSucceeds) {
  AdaptiveSpin spin_state;
  int looks = 0;
  platform::Time since{};
  EXPECT_TRUE(spin_state.spin_until([&looks] { return ++looks == 3; }, platform::kForever, since));
  EXPECT_EQ(looks, 3);
}

TEST(AdaptiveSpin, GivesUpAndLearnsFromThat) {
  AdaptiveSpin spin_state;
  int spins = 0;
  platform::Time since{};
  for (; spin_state.should_spin(); ++spins) {
    EXPECT_FALSE(
        spin_state.note(spin_state.spin_until([] { return false; }, platform::kForever, since)));
  }
  EXPECT_NE(since, platform::Time{});
  EXPECT_GT(spins, 1);
}

}  // namespace
}  // namespace lockbench::internal
