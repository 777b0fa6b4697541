// SPDX-License-Identifier: Apache-2.0

// False conflicts: whoever finds the lock taken learns whether it is for his own key.
#include <optional>

#include <gtest/gtest.h>

#include "primitives/keyed_mutex.h"
#include "primitives/striped_lock.h"
#include "tests/workloads/during_hold.h"
#include "tests/workloads/stand_ins.h"
#include "workloads/counter.h"

namespace lockbench {
namespace {

using Striped = StripedLock<>;
using StripedCounter = Counter<Striped, std::uint64_t>;

// Two threads, whose next keys are given, over two stripes.
class FalseConflicts : public ::testing::Test {
 protected:
  // The first key but 0 whose stripe is that of key 0, or is not.
  std::uint32_t key_of(bool same_stripe) const {
    for (std::uint32_t key = 1; key < kKeys; ++key) {
      if ((primitive_.stripe_of(std::uint64_t{key}) == primitive_.stripe_of(std::uint64_t{0})) ==
          same_stripe) {
        return key;
      }
    }
    ADD_FAILURE() << "all keys hash alike";
    return 0;
  }

  // The figure that is reported when thread 0 holds key 0 and thread 1 asks for `asked`; and then,
  // whether it gets it.
  std::optional<double> reported_for(std::uint32_t asked, bool watched = true) {
    Stage<StripedCounter, Striped> stage(
        primitive_, drawn_as({.keys = kKeys, .hold = kHoldAsleep, .watch_conflicts = watched}, 1,
                             {{0}, {asked}}));
    during_next_hold([&] { got_it_ = stage.glance(1); });
    stage.operate(0);
    expect_holds(stage.prove());
    return stage.false_conflicts();
  }

  static constexpr std::uint32_t kKeys = 16;
  Striped primitive_{2};
  bool got_it_ = false;
};

TEST_F(FalseConflicts, AnotherKeyOfTheStripeIsOne) {
  EXPECT_EQ(reported_for(key_of(true)), 1.0);
  EXPECT_FALSE(got_it_);
}

TEST_F(FalseConflicts, TheSameKeyIsATrueConflict) {
  EXPECT_EQ(reported_for(0), 0.0);
  EXPECT_FALSE(got_it_);
}

TEST_F(FalseConflicts, AKeyOfAnotherStripeIsNoConflict) {
  EXPECT_EQ(reported_for(key_of(false)), std::nullopt);
  EXPECT_TRUE(got_it_);
}

TEST_F(FalseConflicts, WhatNobodyWatchesIsNotTold) {
  EXPECT_EQ(reported_for(key_of(true), false), std::nullopt);
}

TEST_F(FalseConflicts, AHolderWhoHasLeftIsInNobodysWay) {
  Stage<StripedCounter, Striped> stage(
      primitive_, drawn_as({.keys = kKeys, .watch_conflicts = true}, 1, {{0}, {key_of(true)}}));
  stage.operate(0);
  EXPECT_TRUE(stage.glance(1));
  EXPECT_EQ(stage.false_conflicts(), std::nullopt);
}

TEST_F(FalseConflicts, TheShareIsOfAllConflictsThatWereSeen) {
  Stage<StripedCounter, Striped> stage(
      primitive_, drawn_as({.keys = kKeys, .hold = kHoldAsleep, .watch_conflicts = true}, 1,
                           {{0}, {key_of(true)}, {0}}));
  during_next_hold([&] {
    stage.glance(1);
    stage.glance(2);
  });
  stage.operate(0);
  EXPECT_EQ(stage.false_conflicts(), 0.5);
}

// No two keys share a lock there.
TEST(FalseConflictsOfAKeyedMutex, AreNotWatchedFor) {
  KeyedMutex<> primitive;
  Stage<Counter<KeyedMutex<>, std::uint64_t>, KeyedMutex<>> stage(
      primitive, {.threads = 2, .keys = 1, .hold = kHoldAsleep, .watch_conflicts = true});
  during_next_hold([&] { stage.glance(1); });
  stage.operate(0);
  EXPECT_EQ(stage.false_conflicts(), std::nullopt);
}

}  // namespace
}  // namespace lockbench
