// SPDX-License-Identifier: Apache-2.0

// Checkout: what its proof lets pass, and what it convicts.
#include "workloads/checkout.h"

#include <mutex>
#include <vector>

#include <gtest/gtest.h>

#include "primitives/lease_pool.h"
#include "tests/workloads/during_hold.h"
#include "tests/workloads/scripted_leases.h"
#include "tests/workloads/stand_ins.h"

namespace lockbench {
namespace {

using Staged = Stage<Checkout<ScriptedLeases, std::uint64_t>, ScriptedLeases>;

constexpr WorkloadSettings two_actors() {
  return {.threads = 2, .keys = 1, .hold = kHoldAsleep};
}

// The proof if the second actor takes a lease within the first one's hold.
Proof proof_of_overlap(ScriptedLeases pool) {
  Staged stage(pool, two_actors());
  during_next_hold([&] { stage.operate(1); });
  stage.operate(0);
  return stage.prove();
}

TEST(Checkout, LeasesOfAnHonestPoolAreAllThereAfterwards) {
  LeasePool primitive(3, 4);
  Stage<Checkout<LeasePool, std::uint64_t>, LeasePool> stage(primitive, {.threads = 3, .keys = 3});
  EXPECT_EQ(stage.operate_all(500), 1500u);
  expect_holds(stage.prove());
  for (std::uint64_t shard = 0; shard < 3; ++shard) EXPECT_EQ(primitive.available(shard), 4u);
}

TEST(Checkout, TwoHoldersOfDifferentLeasesAreNoFault) {
  expect_holds(proof_of_overlap({2, {0, 1}}));
}

TEST(Checkout, ASecondLeaseIsUsedTooAndGivenBack) {
  LeasePool primitive(1, 2);
  Stage<Checkout<LeasePool, std::uint64_t>, LeasePool> stage(
      primitive, {.keys = 1, .scenario = "second_lease"});
  EXPECT_EQ(stage.operate_all(10), 10u);
  expect_holds(stage.prove());
  EXPECT_EQ(primitive.available(0), 2u);
}

TEST(Checkout, ARefusedSecondLeaseIsGivenUpAndTheFirstComesBack) {
  LeasePool primitive(1, 1);
  Stage<Checkout<LeasePool, std::uint64_t>, LeasePool> stage(
      primitive, {.keys = 1, .scenario = "second_lease"});
  EXPECT_EQ(stage.operate_all(10), 0u);
  EXPECT_EQ(stage.given_up(), 10u);
  expect_holds(stage.prove());
  EXPECT_EQ(primitive.available(0), 1u);
}

TEST(Checkout, GoingInAgainOnTheSameLeaseIsNoFault) {
  using Sharing = BasicLeasePool<LeaseOrder::kUnordered, LeaseNesting::kShare>;
  Sharing primitive(1, 2);
  Stage<Checkout<Sharing, std::uint64_t>, Sharing> stage(primitive,
                                                         {.keys = 1, .scenario = "second_lease"});
  EXPECT_EQ(stage.operate_all(10), 10u);
  expect_holds(stage.prove());
  auto forgotten = primitive.handle(0);
  std::scoped_lock guard(forgotten);
  EXPECT_EQ(stage.prove().violations, 2u) << "one lease not free, and out";
}

// Both holders see the other's note, one use is overwritten; afterwards lease 1 is missing and
// lease 0 is there once too often.
TEST(Checkout, ALeaseHandedOutTwiceIsSeenByBothHoldersAndAfterwards) {
  const Proof proof = proof_of_overlap({2, {0, 0}});
  EXPECT_EQ(proof.violations, 4u);
  EXPECT_EQ(proof.lost_updates, 1u);
}

TEST(Checkout, LeasesThatAreMissingOrTooManyAreFoundAtRest) {
  struct {
    std::uint32_t capacity;
    std::vector<std::uint32_t> numbers;
    bool leak;
    std::uint64_t violations;
  } const rows[] = {
      {2, {0, 0}, false, 2},    // lease 1 is missing, and lease 0 is there twice
      {3, {0, 1, 2}, true, 1},  // one is not given back
      {1, {0}, true, 1},        // the only one is not
      {2, {0, 1, 1}, false, 1},
      {2, {1, 2}, false, 3},  // lease 0 is missing; number 2 is none, as its holder sees
  };
  for (const auto& row : rows) {
    ScriptedLeases pool(row.capacity, row.numbers, row.leak);
    Staged stage(pool, {.keys = 1});
    stage.operate(0);
    const Proof proof = stage.prove();
    EXPECT_EQ(proof.violations, row.violations) << row.numbers.size() << ' ' << row.leak;
    EXPECT_EQ(proof.lost_updates, 0u);
  }
}

TEST(Checkout, LeasesThatAreGivenUpAreNotUsed) {
  using Primitive = Impatient<LeasePool>;
  Primitive primitive(2u, 3u);
  Stage<Checkout<Primitive, std::uint64_t>, Primitive> stage(
      primitive, {.threads = 2, .keys = 2, .timeout = Nanoseconds(1)});
  EXPECT_EQ(stage.operate_all(15), 20u);
  EXPECT_EQ(stage.given_up(), 10u);
  expect_holds(stage.prove());
}

}  // namespace
}  // namespace lockbench
