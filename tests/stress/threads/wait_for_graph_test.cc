// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/wait_for_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockbench::stress::threads {
namespace {

using testing::HasSubstr;

Deed wants(std::uint16_t key) {
  return {.what = Deed::kWants, .key = key};
}
Deed wants_both(std::uint16_t key, std::uint16_t other) {
  return {.what = Deed::kWants, .kind = Act::kLockBoth, .key = key, .other = other};
}
Deed has(std::uint16_t key) {
  return {.what = Deed::kHas, .key = key};
}
Deed ended() {
  return {.what = Deed::kEnded};
}

constexpr Abilities kPerKey{.lock_per_key = true};
constexpr Abilities kShared{};

constexpr std::uint32_t kUntouched = 7;
constexpr std::uint64_t bit(std::uint32_t key) {
  return std::uint64_t{1} << key;
}
Probe free_are(std::uint64_t keys) {
  return {.free_keys = keys, .untouched = kUntouched};
}

TEST(WaitForGraph, TwoThatHoldWhatTheOtherWantsAreACircle) {
  const Failure failure = explain_stall({{0, wants(1), {has(0)}}, {1, wants(0), {has(1)}}}, kPerKey,
                                        free_are(bit(kUntouched)));
  EXPECT_EQ(failure.oracle, Oracle::kCycle);
  EXPECT_EQ(failure.what,
            "threads wait in a circle: thread 0 waits for key 1, holds key 0; thread 1 waits for "
            "key 0, holds key 1; and so back to thread 0");
}

TEST(WaitForGraph, WhoMerelyWaitsForTheCircleIsNotOfIt) {
  const Failure failure = explain_stall(
      {{0, wants(2), {}}, {1, wants(1), {has(2)}}, {2, wants(2), {has(1)}}}, kPerKey, {});
  EXPECT_EQ(failure.oracle, Oracle::kCycle);
  EXPECT_THAT(failure.what, Not(HasSubstr("thread 0")));
}

TEST(WaitForGraph, AWaitForAFreeKeyIsALostWakeUp) {
  const Failure failure =
      explain_stall({{0, wants(0), {}}, {1, ended(), {}}}, kPerKey, free_are(bit(0)));
  EXPECT_EQ(failure.oracle, Oracle::kProgress);
  EXPECT_THAT(failure.what, HasSubstr("thread 0 waits for ever for key 0, which is free"));
}

TEST(WaitForGraph, PairsThatWaitForOneFreeLockAreNoCircle) {
  const Failure failure = explain_stall({{0, wants_both(0, 1), {}}, {1, wants_both(1, 0), {}}},
                                        kShared, free_are(bit(0) | bit(1)));
  EXPECT_EQ(failure.oracle, Oracle::kProgress);
}

TEST(WaitForGraph, PairsThatMayHaveGotOneKeyEachAreACircle) {
  const Failure failure =
      explain_stall({{0, wants_both(0, 1), {}}, {1, wants_both(1, 0), {}}}, kShared, {});
  EXPECT_EQ(failure.oracle, Oracle::kCycle);
}

TEST(WaitForGraph, AKeyThatNobodyHoldsAndNobodyGetsIsNotInAnybodysWay) {
  const Failure failure =
      explain_stall({{0, wants(0), {}}, {1, wants(0), {}}}, kPerKey, free_are(bit(kUntouched)));
  EXPECT_EQ(failure.oracle, Oracle::kProgress);
}

TEST(WaitForGraph, AKeyThatNobodyEverTookMustBeFreeWhereEachHasALock) {
  const std::vector<ThreadPosition> threads = {{0, wants(1), {has(0)}}};
  EXPECT_EQ(explain_stall(threads, kPerKey, free_are(0)).oracle, Oracle::kIndependence);
  EXPECT_EQ(explain_stall(threads, kPerKey, free_are(bit(kUntouched))).oracle, Oracle::kProgress);
}

TEST(WaitForGraph, AnUnlockThatDoesNotReturnIsNotACircleOfThoseWhoWait) {
  const Deed gives = {.what = Deed::kGives, .key = 0};
  const Failure failure =
      explain_stall({{0, gives, {}}, {1, wants_both(0, 1), {}}}, kShared, free_are(0));
  EXPECT_EQ(failure.oracle, Oracle::kProgress);
  EXPECT_THAT(failure.what, HasSubstr("thread 0 gives back for ever"));
}

TEST(WaitForGraph, AThreadMayWaitForItself) {
  const Failure failure = explain_stall({{0, wants(0), {has(0)}}}, kPerKey, {});
  EXPECT_EQ(failure.oracle, Oracle::kCycle);
}

}  // namespace
}  // namespace lockbench::stress::threads
