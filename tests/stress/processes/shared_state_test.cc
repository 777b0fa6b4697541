// SPDX-License-Identifier: Apache-2.0

// The data that processes leave for each other in the shared state; and plans of epochs.
#include "harness/stress/processes/shared_state.h"

#include <iterator>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/stress/litmus/keys.h"
#include "harness/stress/processes/epoch_context.h"

namespace lockbench::stress::processes {
namespace {

TEST(OwnerName, FitsAWordAndIsNeverNobodys) {
  EXPECT_NE(pack(OwnerName{.number = 0, .life = 1}), kNobody);
  const OwnerName name{.number = 15, .life = 70'000};
  EXPECT_EQ(name_from(pack(name)), name);
  EXPECT_EQ(name_from(pack(name) | kPartReleased), name);
  EXPECT_EQ(number_in(pack(name)), 15U);
  EXPECT_EQ(number_in(kNobody), kNoThread);
}

TEST(OwnerName, OfAKilledLifeIsDifferentFromTheNextOneInItsSlot) {
  const SharedStateMemory state;
  put(state->slots[3].killed_life, 2);
  EXPECT_TRUE(state->was_killed(pack(OwnerName{.number = 3, .life = 2})));
  EXPECT_FALSE(state->was_killed(pack(OwnerName{.number = 3, .life = 3})));
  EXPECT_FALSE(state->was_killed(pack(OwnerName{.number = 4, .life = 2})));
}

TEST(ProcessFailure, TheFirstOneCounts) {
  const SharedStateMemory state;
  EXPECT_FALSE(state->failure.noted());
  const FailureRecord torn{Oracle::kConservation, {.fault = oracles::Conservation::kTorn}};
  EXPECT_TRUE(state->failure.note(2, torn));
  EXPECT_FALSE(state->failure.note(3, {Oracle::kExclusion, {}}));
  EXPECT_FALSE(state->failure.note(2, {Oracle::kExclusion, {}}));
  EXPECT_EQ(state->failure.noted(), torn);
}

TEST(ProcessEpoch, IsTheSameForTheSameSeed) {
  const EpochPlan one = plan_epoch(0, 42, 4);
  const EpochPlan other = plan_epoch(0, 42, 4);
  EXPECT_EQ(one.length, other.length);
  EXPECT_EQ(one.keys, other.keys);
  EXPECT_EQ(one.longest_hold, other.longest_hold);
  EXPECT_EQ(one.yields, other.yields);
}

TEST(ProcessEpoch, NeverHasMoreKeysThanTheSharedState) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    EXPECT_LE(plan_epoch(seed % kModes, seed, 4).keys, kMostKeys);
  }
}

TEST(ProcessEpoch, StaysWithinWhatTheLockHasRoomFor) {
  const Abilities few{{.limits = {.threads = 3, .keys = 1}}, {.any_key = true}};
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const EpochPlan plan = plan_epoch(seed % kModes, seed, 6, few);
    EXPECT_LE(plan.processes * (plan.fault() == FaultKind::kForks ? 2 : 1), 3U);
    EXPECT_GE(plan.processes, 1U);
    EXPECT_EQ(plan.keys, 1U);
    EXPECT_EQ(plan.key_set, 0U);
  }
}

TEST(ProcessEpoch, MapsKeysToEachKeySetThatSuitsTheLock) {
  const Abilities of_words{{.limits = {.plain_names = true}}, {.any_key = true, .names = true}};
  std::set<std::uint32_t> of_any_number;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    EXPECT_EQ(plan_epoch(0, seed, 4).key_set, 0U);
    EXPECT_TRUE(has_plain_names(plan_epoch(0, seed, 4, of_words).key_set));
    of_any_number.insert(plan_epoch(0, seed, 4, {{}, {.any_key = true}}).key_set);
  }
  EXPECT_EQ(of_any_number.size(), std::size(kKeySets));
}

}  // namespace
}  // namespace lockbench::stress::processes
