// SPDX-License-Identifier: Apache-2.0

// Transactions: what its proof lets pass, and what it convicts, on SQLite.
#include "workloads/database/transactions.h"

#include <utility>

#include <gtest/gtest.h>

#include "primitives/lease_pool.h"
#include "tests/workloads/during_hold.h"
#include "tests/workloads/scripted_leases.h"
#include "tests/workloads/stand_ins.h"

namespace lockbench {
namespace {

using Honest = Stage<Transactions<LeasePool, std::uint64_t>, LeasePool>;
using Scripted = Stage<Transactions<ScriptedLeases, std::uint64_t>, ScriptedLeases>;

constexpr WorkloadSettings two_actors() {
  return {.threads = 2, .keys = 1, .hold = kHoldAsleep};
}

Proof proof_of_overlap(ScriptedLeases pool) {
  Scripted stage(pool, two_actors());
  during_next_hold([&] { stage.operate(1); });
  stage.operate(0);
  return stage.prove();
}

TEST(Transactions, AreInTheDatabaseAfterwardsAndTheLeasesInThePool) {
  LeasePool primitive(2, 3);
  Honest stage(primitive, {.threads = 3, .keys = 2});
  EXPECT_EQ(stage.operate_all(10), 30u);
  expect_holds(stage.prove());
  for (std::uint64_t shard = 0; shard < 2; ++shard) EXPECT_EQ(primitive.available(shard), 3u);
}

TEST(Transactions, ThatThrowAreRolledBackAndTheirLeaseComesBack) {
  LeasePool primitive(1, 1);
  Honest stage(primitive, {.keys = 1});
  constexpr std::uint64_t kRounds = 2 * Transactions<LeasePool, std::uint64_t>::kThrowsEvery + 1;
  EXPECT_EQ(stage.operate_all(kRounds), kRounds);
  expect_holds(stage.prove());
  EXPECT_EQ(primitive.available(0), 1u);
}

TEST(Transactions, OnTwoConnectionsAtOnceAreNoFault) {
  expect_holds(proof_of_overlap({2, {0, 1}}));
}

// The second one keeps off the connection, so nothing is lost; afterwards lease 1 is missing, and
// lease 0 is there once too often.
TEST(Transactions, OnAConnectionThatSomebodyUsesAreConvictedAndNotDone) {
  const Proof proof = proof_of_overlap({2, {0, 0}});
  EXPECT_EQ(proof.violations, 3u);
  EXPECT_EQ(proof.lost_updates, 0u);
}

TEST(Transactions, OnAConnectionThatThereIsNotAreConvicted) {
  ScriptedLeases pool(2, {1, 2});
  Scripted stage(pool, {.keys = 1});
  stage.operate(0);
  EXPECT_EQ(stage.prove().violations, 3u);
}

TEST(Transactions, ALeaseThatIsNotGivenBackIsMissed) {
  ScriptedLeases pool(3, {0, 1, 2}, /*leak=*/true);
  Scripted stage(pool, {.keys = 1});
  stage.operate(0);
  EXPECT_EQ(stage.prove().violations, 1u);
}

// A database that forgets what was committed to it.
class Forgetful final : public ShardedDatabase {
 public:
  Connection& connection(std::uint64_t shard, std::uint32_t number) override {
    return real_->connection(shard, number);
  }
  std::uint64_t uses(std::uint64_t shard) override { return real_->uses(shard) - 1; }

 private:
  const std::unique_ptr<ShardedDatabase> real_ = open_sqlite({.shards = 1, .connections = 1});
};

TEST(Transactions, WhatTheDatabaseDoesNotHaveIsLost) {
  LeasePool primitive(1, 1);
  Transactions<LeasePool, std::uint64_t> workload(primitive, {.keys = 1}, SpinPace{},
                                                  std::make_unique<Forgetful>());
  auto actor = workload.actor(0);
  UntimedProbe probe;
  actor.operate(probe);
  EXPECT_EQ(workload.prove({&actor.tally()}).lost_updates, 1u);
}

TEST(Sqlite, ATransactionThatIsLeftIsRolledBack) {
  const auto database = open_sqlite({.shards = 1, .connections = 2});
  Connection& first = database->connection(0, 0);
  {
    Transaction left(first);
    first.set_uses(7);
  }
  EXPECT_EQ(first.uses(), 0u);
  {
    Transaction done(first);
    first.set_uses(3);
    done.commit();
  }
  Connection& second = database->connection(0, 1);
  Transaction done(second);
  second.set_uses(4);
  done.commit();
  EXPECT_EQ(first.uses(), 3u) << "each has its own record";
  EXPECT_EQ(database->uses(0), 7u);
}

TEST(Sqlite, ShardsAreDatabasesOfTheirOwn) {
  const auto database = open_sqlite({.shards = 2, .connections = 1});
  Connection& first = database->connection(0, 0);
  const Transaction open(first);
  first.set_uses(1);
  // A second writer of the same file would have to wait here.
  Connection& other = database->connection(1, 0);
  Transaction done(other);
  other.set_uses(5);
  done.commit();
  EXPECT_EQ(database->uses(0), 0u);
  EXPECT_EQ(database->uses(1), 5u);
}

}  // namespace
}  // namespace lockbench
