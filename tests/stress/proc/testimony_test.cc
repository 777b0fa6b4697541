// SPDX-License-Identifier: Apache-2.0

// What a board of processes says, in words; and the words that processes leave for each other.
#include "harness/stress/proc/testimony.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/stress/proc/stage.h"

namespace lockbench::stress::proc {
namespace {

using testing::HasSubstr;

TEST(ProcessName, FitsAWordAndIsNeverNobodys) {
  const Name first{.seat = 0, .life = 1};
  EXPECT_NE(pack(first), kNobody);
  const Name name = name_from(pack(Name{.seat = 15, .life = 70'000}));
  EXPECT_EQ(name.seat, 15U);
  EXPECT_EQ(name.life, 70'000U);
}

TEST(ProcessName, OfAKilledLifeIsToldFromTheNextOnItsSeat) {
  const SharedBoard board;
  put(board->seats[3].killed_life, 2);
  EXPECT_TRUE(board->was_killed(pack(Name{.seat = 3, .life = 2})));
  EXPECT_FALSE(board->was_killed(pack(Name{.seat = 3, .life = 3})));
  EXPECT_FALSE(board->was_killed(pack(Name{.seat = 4, .life = 2})));
}

TEST(ProcessCharge, TheFirstOneCounts) {
  const SharedBoard board;
  EXPECT_EQ(board->noted().fault, Charge::kNone);
  board->note({.fault = Charge::kTorn, .seat = 2, .key = 1});
  board->note({.fault = Charge::kTwoInside});
  EXPECT_EQ(board->noted().fault, Charge::kTorn);
  EXPECT_EQ(board->noted().seat, 2);
  EXPECT_EQ(board->noted().key, 1);
}

TEST(ProcessTestimony, NamesTheStoppedOwnerWhoseKeyWasTaken) {
  const Finding finding =
      finding_from({.fault = Charge::kFromStopped, .seat = 1, .other = 2, .key = 0});
  EXPECT_EQ(finding.oracle, Oracle::kExclusion);
  EXPECT_EQ(finding.what,
            "process 1 has key 0 while process 2, which was stopped and lives, holds it");
}

TEST(ProcessTestimony, SaysOfAStandstillWhetherTheLastHolderWasKilled) {
  Charge charge{.fault = Charge::kStandstill, .seat = 1, .other = 2, .key = 0, .x = 1};
  EXPECT_EQ(finding_from(charge).oracle, Oracle::kProgress);
  EXPECT_THAT(finding_from(charge).what, HasSubstr("process 2, which was killed"));
  charge.other = kNoSeat;
  EXPECT_THAT(finding_from(charge).what, HasSubstr("which nobody holds"));
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
}  // namespace lockbench::stress::proc
