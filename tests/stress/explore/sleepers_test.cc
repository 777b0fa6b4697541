// SPDX-License-Identifier: Apache-2.0

// Threads that sleep are woken in the order in which they fell asleep.

#include "harness/stress/explore/world/sleepers.h"

#include <optional>

#include <gtest/gtest.h>

namespace lockbench::stress::explore {
namespace {

constexpr char kWord = 0;
constexpr char kOther = 0;

TEST(Sleepers, AreWokenInTheOrderInWhichTheyFellAsleep) {
  Sleepers sleepers;
  sleepers.add({.thread = 2, .word = &kWord});
  sleepers.add({.thread = 1, .word = &kWord});
  EXPECT_EQ(sleepers.first_on(&kWord, kAllChannels), 2U);
  sleepers.remove(2);
  EXPECT_EQ(sleepers.first_on(&kWord, kAllChannels), 1U);
  EXPECT_EQ(sleepers.first_on(&kOther, kAllChannels), std::nullopt);
}

TEST(Sleepers, AreReachedThroughACommonChannelAlone) {
  Sleepers sleepers;
  sleepers.add({.thread = 1, .word = &kWord, .channels = 1});
  sleepers.add({.thread = 2, .word = &kWord, .channels = 6});
  EXPECT_EQ(sleepers.first_on(&kWord, 2), 2U);
  EXPECT_EQ(sleepers.count_on(&kWord, 3, 5), 2);
  EXPECT_EQ(sleepers.count_on(&kWord, 3, 1), 1);
  EXPECT_EQ(sleepers.count_on(&kWord, 8, 5), 0);
}

TEST(Sleepers, KeepTheirOrderOnTheWordToWhichTheyAreMoved) {
  Sleepers sleepers;
  sleepers.add({.thread = 3, .word = &kWord});
  sleepers.add({.thread = 1, .word = &kOther});
  sleepers.move(3, &kOther);
  EXPECT_EQ(sleepers.first_on(&kOther, kAllChannels), 3U);
}

TEST(Sleepers, SleepForATimeIfForNothingElse) {
  Sleepers sleepers;
  sleepers.add({.thread = 1, .deadline_ns = 500});
  sleepers.add({.thread = 2, .word = &kWord, .deadline_ns = 400});
  sleepers.add({.thread = 3, .joins = 1});
  EXPECT_TRUE(sleepers.find(1)->is_until_a_time());
  EXPECT_FALSE(sleepers.find(2)->is_until_a_time());
  EXPECT_FALSE(sleepers.find(3)->is_until_a_time());
  EXPECT_EQ(sleepers.find(4), nullptr);
  EXPECT_EQ(sleepers.first_deadline_ns(), 400);
}

}  // namespace
}  // namespace lockbench::stress::explore
