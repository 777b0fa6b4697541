// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/oracles/history.h"

#include <gtest/gtest.h>

#include "harness/stress/oracles/failure.h"

namespace lockbench::stress {
namespace {

constexpr std::int64_t kMs = 1'000'000;

Take hold(std::uint32_t thread, std::uint64_t update, std::int64_t requested, std::int64_t answered,
          std::int64_t unlock_began, std::int64_t unlock_ended) {
  return {.thread = thread,
          .held = true,
          .update = update,
          .requested = requested,
          .answered = answered,
          .unlock_began = unlock_began,
          .unlock_ended = unlock_ended};
}

Take refusal(std::uint32_t thread, std::int64_t requested, std::int64_t answered) {
  return {.thread = thread, .requested = requested, .answered = answered};
}

std::optional<FailureRecord> checked(std::vector<Take> takes,
                                     const HistoryRules& rules = {.strong_try = true}) {
  return check_all(History(std::move(takes), rules), [](Oracle, std::uint64_t) {});
}

TEST(History, HoldsOneAfterTheOtherAreInOrder) {
  EXPECT_FALSE(checked({hold(1, 1, 5, 21, 30, 31), hold(0, 0, 0, 1, 20, 22)}));
}

TEST(History, AHoldThatBeganBeforeTheOneBeforeWasGivenBackIsOutOfOrder) {
  const auto failure = checked({hold(0, 0, 0, 1, 20, 22), hold(1, 1, 5, 19, 30, 31)});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->oracle, Oracle::kModel);
  EXPECT_EQ(failure->facts.fault, oracles::Model::kOutOfOrder);
  EXPECT_EQ(failure->facts.thread, 1U);
  EXPECT_EQ(failure->facts.other, 0U);
}

TEST(History, OneUpdateMadeTwiceIsALostOne) {
  const auto failure = checked({hold(0, 7, 0, 1, 2, 3), hold(1, 7, 4, 5, 6, 7)});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->oracle, Oracle::kConservation);
  EXPECT_EQ(failure->facts.fault, oracles::Conservation::kSameUpdate);
}

TEST(History, ATryMayFailSpuriouslyUnlessTheLockPromisesNot) {
  EXPECT_FALSE(checked({refusal(1, kMs, kMs + 10)}, {}));
  EXPECT_TRUE(checked({refusal(1, kMs, kMs + 10)}, {.strong_try = true}));
}

Take limited(std::uint32_t thread, std::int64_t requested, std::int64_t answered,
             std::int64_t unlock_began, std::uint64_t token = 0) {
  Take take = hold(thread, 0, requested, answered, unlock_began, unlock_began + 1);
  take.checked = false;
  take.token = token;
  return take;
}

TEST(History, ALimitedHoldMayOverlapTheNextOneOnlyAfterItsLimit) {
  const HistoryRules rules{.hold_limit_ns = 100};
  EXPECT_FALSE(checked({limited(0, 0, 1, 500), limited(1, 50, 101, 150)}, rules));
  const auto failure = checked({limited(0, 0, 1, 500), limited(1, 50, 99, 140)}, rules);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->oracle, Oracle::kExclusion);
}

TEST(History, AHoldThatWasLateBeforeItsThreadLookedIsNotCompared) {
  EXPECT_FALSE(
      checked({limited(0, 0, 150, 500), limited(1, 50, 149, 160)}, {.hold_limit_ns = 100}));
}

TEST(History, TokensOfLimitedHoldsGrowInTheOrderOfTheHolds) {
  const HistoryRules rules{.tokens = true, .hold_limit_ns = 100};
  EXPECT_FALSE(checked({limited(0, 0, 1, 20, 4), limited(1, 5, 30, 40, 5)}, rules));
  const auto failure = checked({limited(0, 0, 1, 20, 5), limited(1, 5, 30, 40, 5)}, rules);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->oracle, Oracle::kToken);
}

TEST(History, UpdatesOfDifferentLeasesAreNotCompared) {
  std::vector<Take> takes = {hold(0, 7, 0, 1, 2, 3), hold(1, 7, 1, 2, 3, 4)};
  takes[1].lease = 1;
  EXPECT_FALSE(checked(takes, {.capacity = 2, .strong_try = true}));
}

TEST(History, ARefusalWithNobodyNearHasNoReason) {
  const auto failure = checked({hold(0, 0, 0, 1, 2, 3), refusal(1, kMs, kMs + 10)});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->facts.fault, oracles::Model::kRefusedAlone);
  EXPECT_EQ(failure->facts.thread, 1U);
}

TEST(History, ARefusalDuringAnothersTakeMayBeRight) {
  EXPECT_FALSE(checked({hold(0, 0, 0, 1, 2 * kMs, 2 * kMs + 1), refusal(1, kMs, kMs + 10)}));
}

TEST(History, AnUnlockThatHasJustReturnedMayNotBeVisibleYet) {
  EXPECT_FALSE(checked({hold(0, 0, 0, 1, 2, 3), refusal(1, 4, 5)}));
}

TEST(History, ATakeOfAnotherKeyIsAReasonOnlyWhereKeysShareALock) {
  std::vector<Take> takes = {hold(0, 0, 0, 1, 2 * kMs, 2 * kMs + 1), refusal(1, kMs, kMs + 10)};
  takes[1].key = 1;
  EXPECT_FALSE(checked(takes, {.lock_per_key = false, .strong_try = true}));
  EXPECT_TRUE(checked(takes, {.lock_per_key = true, .strong_try = true}));
}

TEST(History, OneHolderOfTwoLeasesIsNoReason) {
  const std::vector<Take> takes = {hold(0, 0, 0, 1, 2 * kMs, 2 * kMs + 1),
                                   refusal(1, kMs, kMs + 10)};
  EXPECT_TRUE(checked(takes, {.capacity = 2, .strong_try = true}));
}

// A release may leave its permit to another release that is under way.
TEST(History, ACallOfAnotherThreadIsAReasonWhereThereAreTwoLeases) {
  const std::vector<Take> requested = {hold(0, 0, kMs + 5, kMs + 6, 2 * kMs, 2 * kMs + 1),
                                       refusal(1, kMs, kMs + 10)};
  const std::vector<Take> released = {hold(0, 0, 0, 1, kMs + 5, kMs + 6),
                                      refusal(1, kMs, kMs + 10)};
  EXPECT_FALSE(checked(requested, {.capacity = 2, .strong_try = true}));
  EXPECT_FALSE(checked(released, {.capacity = 2, .strong_try = true}));
}

TEST(History, WhatMayBeMissingIsNotJudged) {
  Evaluations evaluations;
  const History history({refusal(1, kMs, kMs + 10)}, {.strong_try = true}, kMs);
  EXPECT_FALSE(check_all(
      history, [&](Oracle oracle, std::uint64_t times) { evaluations.count(oracle, times); }));
  EXPECT_EQ(evaluations[Oracle::kModel], 0U);
}

}  // namespace
}  // namespace lockbench::stress
