// SPDX-License-Identifier: Apache-2.0

// A thread that polls in vain is made to wait, and counts as settled, until something changes.

#include "harness/stress/explore/world/polling.h"

#include <gtest/gtest.h>

namespace lockbench::stress::explore {
namespace {

constexpr char kHere = 0;
constexpr char kThere = 0;
constexpr int kMany = 1000;

TEST(Polling, IsLongAfterManyPollsOfWordsThatDoNotChange) {
  Polling polling;
  EXPECT_FALSE(polling.add_poll(7)) << "7 changes are not those of its last poll";
  for (int i = 0; i < kMany; ++i) EXPECT_TRUE(polling.add_poll(7));
  EXPECT_TRUE(polling.is_long());
  EXPECT_FALSE(polling.add_poll(8));
  EXPECT_FALSE(polling.is_long());
}

TEST(Polling, SettlesAfterManyPausesWithoutAChange) {
  Polling polling;
  for (int i = 0; i < kMany; ++i) polling.pause(7);
  EXPECT_TRUE(polling.is_settled());
  EXPECT_FALSE(polling.may_go_on(7));
  EXPECT_TRUE(polling.may_go_on(8));
  polling.pause(8);
  EXPECT_FALSE(polling.is_settled());
}

TEST(Polling, SettlesAtOnceIfTheThreadRepeatsItself) {
  Polling polling;
  polling.pause_certainly(7);
  EXPECT_TRUE(polling.is_settled());
  polling.end(7);
  EXPECT_FALSE(polling.is_settled());
}

TEST(Polling, ComparesStatesAtOneAddress) {
  Polling polling;
  polling.add_poll(7);
  polling.add_poll(7);
  EXPECT_FALSE(polling.compares_at(&kHere)) << "it only notes the address";
  EXPECT_TRUE(polling.compares_at(&kHere));
  EXPECT_FALSE(polling.returns_to(&kHere, 5));
  EXPECT_TRUE(polling.returns_to(&kHere, 5));
  EXPECT_FALSE(polling.returns_to(&kHere, 6));
  polling.forget_state();
  EXPECT_FALSE(polling.returns_to(&kHere, 6));
  EXPECT_FALSE(polling.compares_at(&kThere)) << "it notes this address instead";
  EXPECT_FALSE(polling.compares_at(&kHere));
}

}  // namespace
}  // namespace lockbench::stress::explore
