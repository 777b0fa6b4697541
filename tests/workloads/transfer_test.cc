// SPDX-License-Identifier: Apache-2.0

// Transfer: what its proof lets pass, and what it convicts.
#include "workloads/transfer.h"

#include <gtest/gtest.h>

#include "primitives/keyed_mutex.h"
#include "primitives/no_lock.h"
#include "tests/workloads/during_hold.h"
#include "tests/workloads/stand_ins.h"

namespace lockbench {
namespace {

using Pairs = std::vector<std::vector<std::uint32_t>>;

// The proof if the second actor moves within the first one's hold, without a lock.
Proof proof_of_overlap(const Pairs& moves) {
  NoLock primitive;
  Stage<Transfer<NoLock, std::uint64_t>, NoLock> stage(
      primitive, drawn_as({.keys = 4, .hold = kHoldAsleep}, 2, moves));
  during_next_hold([&] { stage.operate(1); });
  stage.operate(0);
  return stage.prove();
}

TEST(Transfer, UnderALockNothingIsLost) {
  KeyedMutex<> primitive;
  Stage<Transfer<KeyedMutex<>, std::uint64_t>, KeyedMutex<>> stage(primitive,
                                                                   {.threads = 3, .keys = 5});
  EXPECT_EQ(stage.operate_all(1000), 3000u);
  expect_holds(stage.prove());
}

// 20,000 moves walk round rings of 16,384 pairs.
TEST(Transfer, MovesAreAccountedForBeyondOneRoundOfTheRing) {
  KeyedMutex<> primitive;
  Stage<Transfer<KeyedMutex<>, std::uint64_t>, KeyedMutex<>> stage(primitive, {.keys = 3});
  EXPECT_EQ(stage.operate_all(20'000), 20'000u);
  expect_holds(stage.prove());
}

TEST(Transfer, AMoveWithinAnothersHoldIsLostAtBothEndsAndSeenOnce) {
  for (const Pairs& moves : {Pairs{{0, 1}, {0, 1}}, Pairs{{0, 1}, {1, 0}}}) {
    const Proof proof = proof_of_overlap(moves);
    EXPECT_EQ(proof.lost_updates, 2u);
    EXPECT_EQ(proof.violations, 1u);
  }
}

TEST(Transfer, AMoveThatSharesOneKeyIsLostAtThatEnd) {
  for (const Pairs& moves : {Pairs{{0, 1}, {1, 2}}, Pairs{{0, 1}, {2, 0}}}) {
    const Proof proof = proof_of_overlap(moves);
    EXPECT_EQ(proof.lost_updates, 1u);
    EXPECT_EQ(proof.violations, 1u);
  }
}

TEST(Transfer, AMoveBetweenOtherKeysIsNoFault) {
  expect_holds(proof_of_overlap({{0, 1}, {2, 3}}));
}

TEST(Transfer, FromAKeyToItselfMovesNothing) {
  expect_holds(proof_of_overlap({{2, 2}, {0, 1}}));
  expect_holds(proof_of_overlap({{2, 2}, {2, 2}}));
  KeyedMutex<> primitive;
  Stage<Transfer<KeyedMutex<>, std::uint64_t>, KeyedMutex<>> stage(primitive, {.keys = 1});
  EXPECT_EQ(stage.operate_all(10), 10u);
  expect_holds(stage.prove());
}

TEST(Transfer, FromAKeyToItselfSeesWhoeverElseMoves) {
  const Proof proof = proof_of_overlap({{1, 1}, {0, 1}});
  EXPECT_EQ(proof.lost_updates, 0u);
  EXPECT_EQ(proof.violations, 1u);
}

TEST(Transfer, MovesThatAreGivenUpAreNotExpected) {
  using Moves = Transfer<Impatient<KeyedMutex<>>, std::uint64_t>;
  expect_given_up_are_not_lost<KeyedMutex<>, Moves>({.threads = 2, .keys = 3});
}

}  // namespace
}  // namespace lockbench
