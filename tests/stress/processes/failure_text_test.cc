// SPDX-License-Identifier: Apache-2.0

// What a state of processes says, in words; and the words that processes leave for each other.
#include "harness/stress/processes/failure_text.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/stress/processes/epoch_context.h"

namespace lockbench::stress::processes {
namespace {

using testing::HasSubstr;

TEST(ProcessName, FitsAWordAndIsNeverNobodys) {
  const Name first{.slot = 0, .life = 1};
  EXPECT_NE(pack(first), kNobody);
  const Name name = name_from(pack(Name{.slot = 15, .life = 70'000}));
  EXPECT_EQ(name.slot, 15U);
  EXPECT_EQ(name.life, 70'000U);
}

TEST(ProcessName, OfAKilledLifeIsToldFromTheNextOnItsSeat) {
  const SharedStateMemory state;
  put(state->slots[3].killed_life, 2);
  EXPECT_TRUE(state->was_killed(pack(Name{.slot = 3, .life = 2})));
  EXPECT_FALSE(state->was_killed(pack(Name{.slot = 3, .life = 3})));
  EXPECT_FALSE(state->was_killed(pack(Name{.slot = 4, .life = 2})));
}

TEST(ProcessFailureRecord, TheFirstOneCounts) {
  const SharedStateMemory state;
  EXPECT_EQ(state->noted().fault, FailureRecord::kNone);
  state->note({.fault = FailureRecord::kTorn, .slot = 2, .key = 1});
  state->note({.fault = FailureRecord::kTwoInside});
  EXPECT_EQ(state->noted().fault, FailureRecord::kTorn);
  EXPECT_EQ(state->noted().slot, 2);
  EXPECT_EQ(state->noted().key, 1);
}

TEST(ProcessFailureText, NamesTheStoppedOwnerWhoseKeyWasTaken) {
  const Failure failure =
      failure_from({.fault = FailureRecord::kFromStopped, .slot = 1, .other = 2, .key = 0});
  EXPECT_EQ(failure.oracle, Oracle::kExclusion);
  EXPECT_EQ(failure.what,
            "process 1 has key 0 while process 2, which was stopped and lives, holds it");
}

TEST(ProcessFailureText, SaysOfAStandstillWhetherTheLastHolderWasKilled) {
  FailureRecord failure{
      .fault = FailureRecord::kStandstill, .slot = 1, .other = 2, .key = 0, .x = 1};
  EXPECT_EQ(failure_from(failure).oracle, Oracle::kProgress);
  EXPECT_THAT(failure_from(failure).what, HasSubstr("process 2, which was killed"));
  failure.other = kNoSlot;
  EXPECT_THAT(failure_from(failure).what, HasSubstr("which nobody holds"));
}

TEST(ProcessEpoch, IsTheSameForTheSameSeed) {
  const EpochPlan one = plan_epoch(0, 42, 4);
  const EpochPlan other = plan_epoch(0, 42, 4);
  EXPECT_EQ(one.length, other.length);
  EXPECT_EQ(one.keys, other.keys);
  EXPECT_EQ(one.longest_hold, other.longest_hold);
  EXPECT_EQ(one.yields, other.yields);
}

TEST(ProcessEpoch, NeverHasMoreKeysThanTheBoard) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    EXPECT_LE(plan_epoch(seed % kModes, seed, 4).keys, kMostKeys);
  }
}

TEST(ProcessMode, IsFoundByItsName) {
  for (std::size_t i = 0; i < kModes; ++i) EXPECT_EQ(mode_from(modes()[i].name).value(), i);
  EXPECT_THAT(std::string(mode_from("slay").status().message()),
              HasSubstr("say one of kill, stop"));
}

}  // namespace
}  // namespace lockbench::stress::processes
