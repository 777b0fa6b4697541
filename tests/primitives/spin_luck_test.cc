// SPDX-License-Identifier: Apache-2.0

// SpinLuck: whether a thread that waits looks for a while before it sleeps.
#include "primitives/internal/spin_luck.h"

#include <gtest/gtest.h>

namespace lockbench::internal {
namespace {

// How many of so many waits begin with a look that is `lucky` or not.
int tries(SpinLuck& luck, int waits, bool lucky) {
  int tried = 0;
  for (int i = 0; i < waits; ++i) {
    if (!luck.worth_a_try()) continue;
    ++tried;
    luck.note(lucky);
  }
  return tried;
}

TEST(SpinLuck, AThreadThatNeverWaitedTries) {
  EXPECT_TRUE(SpinLuck().worth_a_try());
}

TEST(SpinLuck, TheLuckyTryEachTime) {
  SpinLuck luck;
  EXPECT_EQ(tries(luck, 1000, true), 1000);
}

TEST(SpinLuck, TheUnluckyTryNowAndThen) {
  SpinLuck luck;
  tries(luck, 100, false);
  EXPECT_EQ(tries(luck, 800, false), 100);
}

TEST(SpinLuck, ALuckyTryMakesUpForSomeOfTheOthers) {
  SpinLuck luck;
  tries(luck, 100, false);
  while (tries(luck, 1, true) == 0) {
  }
  EXPECT_GT(tries(luck, 10, false), 1);
}

}  // namespace
}  // namespace lockbench::internal
