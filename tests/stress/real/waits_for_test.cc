// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/real/waits_for.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockbench::stress::real {
namespace {

using testing::HasSubstr;

Deed wants(std::uint16_t key) {
  return {.what = Deed::kWants, .key = key};
}
Deed wants_both(std::uint16_t key, std::uint16_t other) {
  return {.what = Deed::kWants, .kind = Act::kTakeBoth, .key = key, .other = other};
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

TEST(WaitsFor, TwoThatHoldWhatTheOtherWantsAreACircle) {
  const Finding finding = judge_standstill({{0, wants(1), {has(0)}}, {1, wants(0), {has(1)}}},
                                           kPerKey, free_are(bit(kUntouched)));
  EXPECT_EQ(finding.oracle, Oracle::kCycle);
  EXPECT_EQ(finding.what,
            "threads wait in a circle: thread 0 waits for key 1, holds key 0; thread 1 waits for "
            "key 0, holds key 1; and so back to thread 0");
}

TEST(WaitsFor, WhoMerelyWaitsForTheCircleIsNotOfIt) {
  const Finding finding = judge_standstill(
      {{0, wants(2), {}}, {1, wants(1), {has(2)}}, {2, wants(2), {has(1)}}}, kPerKey, {});
  EXPECT_EQ(finding.oracle, Oracle::kCycle);
  EXPECT_THAT(finding.what, Not(HasSubstr("thread 0")));
}

TEST(WaitsFor, AWaitForAFreeKeyIsALostWakeUp) {
  const Finding finding =
      judge_standstill({{0, wants(0), {}}, {1, ended(), {}}}, kPerKey, free_are(bit(0)));
  EXPECT_EQ(finding.oracle, Oracle::kProgress);
  EXPECT_THAT(finding.what, HasSubstr("thread 0 waits for ever for key 0, which is free"));
}

TEST(WaitsFor, PairsThatWaitForOneFreeLockAreNoCircle) {
  const Finding finding = judge_standstill({{0, wants_both(0, 1), {}}, {1, wants_both(1, 0), {}}},
                                           kShared, free_are(bit(0) | bit(1)));
  EXPECT_EQ(finding.oracle, Oracle::kProgress);
}

TEST(WaitsFor, PairsThatMayHaveGotOneKeyEachAreACircle) {
  const Finding finding =
      judge_standstill({{0, wants_both(0, 1), {}}, {1, wants_both(1, 0), {}}}, kShared, {});
  EXPECT_EQ(finding.oracle, Oracle::kCycle);
}

TEST(WaitsFor, AKeyThatNobodyHoldsAndNobodyGetsIsNotInAnybodysWay) {
  const Finding finding =
      judge_standstill({{0, wants(0), {}}, {1, wants(0), {}}}, kPerKey, free_are(bit(kUntouched)));
  EXPECT_EQ(finding.oracle, Oracle::kProgress);
}

TEST(WaitsFor, AKeyThatNobodyEverTookMustBeFreeWhereEachHasALock) {
  const std::vector<Standing> threads = {{0, wants(1), {has(0)}}};
  EXPECT_EQ(judge_standstill(threads, kPerKey, free_are(0)).oracle, Oracle::kIndependence);
  EXPECT_EQ(judge_standstill(threads, kPerKey, free_are(bit(kUntouched))).oracle,
            Oracle::kProgress);
}

TEST(WaitsFor, AnUnlockThatDoesNotReturnIsNotACircleOfThoseWhoWait) {
  const Deed gives = {.what = Deed::kGives, .key = 0};
  const Finding finding =
      judge_standstill({{0, gives, {}}, {1, wants_both(0, 1), {}}}, kShared, free_are(0));
  EXPECT_EQ(finding.oracle, Oracle::kProgress);
  EXPECT_THAT(finding.what, HasSubstr("thread 0 gives back for ever"));
}

TEST(WaitsFor, AThreadMayWaitForItself) {
  const Finding finding = judge_standstill({{0, wants(0), {has(0)}}}, kPerKey, {});
  EXPECT_EQ(finding.oracle, Oracle::kCycle);
}

}  // namespace
}  // namespace lockbench::stress::real
