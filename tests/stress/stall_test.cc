// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/oracles/stall.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockbench::stress {
namespace {

using testing::HasSubstr;

Event wants(std::uint16_t key) {
  return {.kind = Event::kRequest, .key = key};
}
Event wants_both(std::uint16_t key, std::uint16_t other) {
  return {.kind = Event::kRequest, .key = key, .other = other, .pair = true};
}
Event has(std::uint16_t key) {
  return {.kind = Event::kAcquire, .key = key};
}
Event ended() {
  return {.kind = Event::kEnd};
}

constexpr Abilities kPerKey{{.lock_per_key = true}};
constexpr Abilities kShared{};

constexpr std::uint32_t kUntouched = 7;
constexpr std::uint64_t bit(std::uint32_t key) {
  return std::uint64_t{1} << key;
}
StallFacts free_are(std::uint64_t keys) {
  return {.probe = Probe{.free_keys = keys, .untouched = kUntouched}};
}

TEST(Stall, TwoThatHoldWhatTheOtherWantsAreACycle) {
  const Failure failure = explain_stall({{0, wants(1), {has(0)}}, {1, wants(0), {has(1)}}}, kPerKey,
                                        free_are(bit(kUntouched)));
  EXPECT_EQ(failure.oracle, Oracle::kCycle);
  EXPECT_EQ(failure.what,
            "threads wait for each other in a cycle: thread 0 waits for key 1, holds key 0; thread "
            "1 waits for "
            "key 0, holds key 1; and so back to thread 0");
}

TEST(Stall, WhoMerelyWaitsForTheCycleIsNotOfIt) {
  const Failure failure = explain_stall(
      {{0, wants(2), {}}, {1, wants(1), {has(2)}}, {2, wants(2), {has(1)}}}, kPerKey, {});
  EXPECT_EQ(failure.oracle, Oracle::kCycle);
  EXPECT_THAT(failure.what, Not(HasSubstr("thread 0")));
}

TEST(Stall, AWaitForAFreeKeyIsALostWakeUp) {
  const Failure failure =
      explain_stall({{0, wants(0), {}}, {1, ended(), {}}}, kPerKey, free_are(bit(0)));
  EXPECT_EQ(failure.oracle, Oracle::kProgress);
  EXPECT_THAT(failure.what,
              HasSubstr("lost wake-up: thread 0 waits forever for key 0, which is free"));
}

TEST(Stall, PairsThatWaitForOneFreeLockAreNoCycle) {
  const Failure failure = explain_stall({{0, wants_both(0, 1), {}}, {1, wants_both(1, 0), {}}},
                                        kShared, free_are(bit(0) | bit(1)));
  EXPECT_EQ(failure.oracle, Oracle::kProgress);
}

TEST(Stall, PairsThatMayHaveGotOneKeyEachAreACycle) {
  const Failure failure =
      explain_stall({{0, wants_both(0, 1), {}}, {1, wants_both(1, 0), {}}}, kShared, {});
  EXPECT_EQ(failure.oracle, Oracle::kCycle);
}

TEST(Stall, PairsOfALockThatAllKeysShareAreNoCycle) {
  const Failure failure = explain_stall({{0, wants_both(0, 1), {}}, {1, wants_both(1, 0), {}}},
                                        {{.one_lock = true}}, {});
  EXPECT_EQ(failure.oracle, Oracle::kProgress);
  EXPECT_THAT(failure.what,
              HasSubstr("waits forever for keys 0 and 1, which no other thread holds"));
}

TEST(Stall, AKeyThatNobodyHoldsAndNobodyGetsIsALostRelease) {
  const Failure failure =
      explain_stall({{0, wants(0), {}}, {1, wants(0), {}}}, kPerKey, free_are(bit(kUntouched)));
  EXPECT_EQ(failure.oracle, Oracle::kProgress);
  EXPECT_EQ(failure.what,
            "lost release: thread 0 waits forever for key 0, which no other thread holds, and "
            "which cannot be acquired any more: thread 0 waits for key 0; thread 1 waits for key "
            "0");
}

TEST(Stall, AThreadThatHoldsNothingIsNotInACycle) {
  for (const Abilities& abilities : {kPerKey, kShared}) {
    // B1+1 is a request of one key.
    EXPECT_EQ(explain_stall({{0, wants(1), {}}, {1, ended(), {}}}, abilities, {}).oracle,
              Oracle::kProgress);
    const Failure pair = explain_stall({{0, wants_both(0, 1), {}}}, abilities, {});
    EXPECT_EQ(pair.oracle, Oracle::kProgress);
    EXPECT_THAT(pair.what, HasSubstr("lost wake-up or release: thread 0 waits forever"));
  }
}

TEST(Stall, APairOfWhichOneKeyIsFreeAndNobodyHasTheOtherIsALostWakeUp) {
  const Failure failure = explain_stall({{0, wants(0), {}}, {1, wants_both(0, 1), {}}}, kPerKey,
                                        free_are(bit(1) | bit(kUntouched)));
  EXPECT_EQ(failure.oracle, Oracle::kProgress);
  EXPECT_THAT(failure.what,
              HasSubstr("thread 1 waits forever for keys 0 and 1, of which key 1 is free"));
}

TEST(Stall, KeysThatAreFreeCloseNoCycleOfPairs) {
  const std::vector<ThreadPosition> threads = {{0, wants_both(0, 1), {}},
                                               {1, wants_both(1, 0), {}}};
  EXPECT_EQ(explain_stall(threads, kPerKey, free_are(bit(kUntouched))).oracle, Oracle::kCycle);
  EXPECT_EQ(explain_stall(threads, kPerKey, free_are(bit(1) | bit(kUntouched))).oracle,
            Oracle::kProgress);
}

TEST(Stall, PairsWithOneKeyInCommonAreNoCycle) {
  const std::vector<ThreadPosition> threads = {{0, wants_both(0, 1), {}},
                                               {1, wants_both(1, 2), {}}};
  EXPECT_EQ(explain_stall(threads, kPerKey, free_are(bit(kUntouched))).oracle, Oracle::kProgress);
}

TEST(Stall, WhoSpinsForAFreeKeyHasLostNoWakeUp) {
  ThreadPosition spinner{0, wants(0), {}};
  spinner.spins = true;
  const Failure failure = explain_stall({spinner}, kPerKey, free_are(bit(0)));
  EXPECT_THAT(failure.what, testing::StartsWith("thread 0 spins forever for key 0, which is free"));
}

TEST(Stall, ATryThatAHolderAwaitsMustReturnThoughAThirdThreadWaits) {
  ThreadPosition holder{0, {.kind = Event::kNone}, {has(0)}};
  holder.awaits_end = 2;
  ThreadPosition trying{2, wants(0), {}};
  trying.may_be_refused = true;
  const Failure failure = explain_stall({holder, {1, wants(0), {}}, trying}, kPerKey, free_are(0));
  EXPECT_EQ(failure.oracle, Oracle::kModel);
  EXPECT_THAT(failure.what, testing::StartsWith("try_lock() of thread 2 never returns"));
}

TEST(Stall, TwoKeysThatAreFreeAreNotOne) {
  const Failure failure =
      explain_stall({{0, wants_both(0, 1), {}}}, kPerKey, free_are(bit(0) | bit(1)));
  EXPECT_THAT(failure.what, HasSubstr("waits forever for keys 0 and 1, which are free"));
}

TEST(Stall, AKeyThatNobodyEverTookMustBeFreeWhereEachHasALock) {
  const std::vector<ThreadPosition> threads = {{0, wants(1), {has(0)}}};
  EXPECT_EQ(explain_stall(threads, kPerKey, free_are(0)).oracle, Oracle::kIndependence);
  EXPECT_EQ(explain_stall(threads, kPerKey, free_are(bit(kUntouched))).oracle, Oracle::kProgress);
}

TEST(Stall, AKeyThatNoThreadEverHadCannotHaveLostARelease) {
  const std::vector<ThreadPosition> threads = {{0, wants(1), {has(0)}}};
  StallFacts facts = free_are(bit(kUntouched));
  facts.granted_keys = bit(0);
  const Failure failure = explain_stall(threads, kPerKey, facts);
  EXPECT_EQ(failure.oracle, Oracle::kIndependence);
  EXPECT_THAT(failure.what, HasSubstr("no thread ever held key 1"));
  facts.granted_keys = bit(0) | bit(1);
  EXPECT_EQ(explain_stall(threads, kPerKey, facts).oracle, Oracle::kProgress);
}

TEST(Stall, AnUnlockThatDoesNotReturnIsNotACycleOfThoseWhoWait) {
  const Event releases = {.kind = Event::kRelease};
  const Failure failure =
      explain_stall({{0, releases, {}}, {1, wants_both(0, 1), {}}}, kShared, free_are(0));
  EXPECT_EQ(failure.oracle, Oracle::kProgress);
  EXPECT_THAT(failure.what, HasSubstr("unlock() of thread 0 never returns"));
}

TEST(Stall, AKeyThatWaitsForTheOneOfAnAwaitingHolderIsDependent) {
  ThreadPosition awaiter{0, {}, {has(0)}, 1};
  EXPECT_EQ(explain_stall({awaiter, {1, wants(1), {}}}, kPerKey, {}).oracle, Oracle::kIndependence);
  EXPECT_EQ(explain_stall({awaiter, {1, wants(0), {}}}, kPerKey, {}).oracle, Oracle::kProgress);
}

TEST(Stall, AWaiterForAFreeSlotOfOneLockHasLostAWakeUp) {
  constexpr Abilities kSemaphore{{.capacity = 2}};
  ThreadPosition awaiter{0, {}, {has(0)}, 1};
  for (const std::uint16_t key : {0, 1}) {  // both are one lock
    const Failure failure = explain_stall({awaiter, {1, wants(key), {}}}, kSemaphore, {});
    EXPECT_EQ(failure.oracle, Oracle::kProgress);
    EXPECT_THAT(failure.what, HasSubstr("which 2 threads may hold at once, and 1 does"));
  }
  constexpr Abilities kSemaphorePerKey{{.lock_per_key = true, .capacity = 2}};
  EXPECT_EQ(explain_stall({awaiter, {1, wants(1), {}}}, kSemaphorePerKey, {}).oracle,
            Oracle::kIndependence);
}

TEST(Stall, WhereContentionIsKnownAThreadWaitsForItselfOnlyAlone) {
  const std::vector<ThreadPosition> threads = {{0, wants(0), {has(0)}}, {1, ended(), {}}};
  EXPECT_EQ(explain_stall(threads, kPerKey, {.contended = false}).oracle, Oracle::kCycle);
  EXPECT_EQ(explain_stall(threads, kPerKey, {.contended = true}).oracle, Oracle::kProgress);
}

ThreadPosition inside(std::uint32_t thread, std::optional<std::uint32_t> awaits_mutex_of) {
  ThreadPosition position{.thread = thread, .doing = wants(0)};
  position.awaits_mutex_of = awaits_mutex_of;
  return position;
}

TEST(Stall, MutexesInsideOfTheLockThatAreTakenInACycleAreADeadlock) {
  const Failure failure = explain_stall({inside(0, {}), inside(1, 2), inside(2, 1)}, kPerKey,
                                        free_are(bit(0) | bit(kUntouched)));
  EXPECT_EQ(failure.oracle, Oracle::kCycle);
  EXPECT_THAT(failure.what, HasSubstr("in a cycle: thread 1, thread 2, and so back to thread 1"));
}

TEST(Stall, AThreadThatWaitsForItsOwnMutexIsASelfDeadlock) {
  const Failure failure = explain_stall({inside(0, 1), inside(1, 1)}, kPerKey, {});
  EXPECT_EQ(failure.oracle, Oracle::kCycle);
  EXPECT_THAT(failure.what, HasSubstr("thread 1 waits for a mutex that it holds itself"));
}

TEST(Stall, WhoWaitsForAMutexOfAThreadThatWaitsForNoneIsInNoCycle) {
  const Failure failure = explain_stall({inside(0, 1), inside(1, {})}, kPerKey, {});
  EXPECT_EQ(failure.oracle, Oracle::kProgress);
}

TEST(Stall, AThreadMayWaitForItself) {
  const Failure failure = explain_stall({{0, wants(0), {has(0)}}}, kPerKey, {});
  EXPECT_EQ(failure.oracle, Oracle::kCycle);
  EXPECT_EQ(failure.what, "a thread waits for itself: thread 0 waits for key 0, holds key 0");
}

}  // namespace
}  // namespace lockbench::stress
