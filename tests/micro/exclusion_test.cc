// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/micro/exclusion.h"

#include <mutex>

#include <gtest/gtest.h>

#include "harness/kernel/processors.h"
#include "primitives/keyed_mutex.h"
#include "primitives/lease_pool.h"
#include "primitives/no_lock.h"

namespace lockbench {
namespace {

// A handle on nothing at all: everybody is let in.
struct OpenDoor {
  void lock() {}
  bool try_lock() { return true; }
  void unlock() {}
};

// Keeps its promise to those who try, and lets in all who wait.
struct OpenToWaiters {
  std::mutex& mutex;
  bool tried = false;

  void lock() {}
  bool try_lock() { return tried = mutex.try_lock(); }
  void unlock() {
    if (tried) mutex.unlock();
  }
};

TEST(ExclusionCheck, ALockThatExcludesIsProved) {
  Companion companion;
  KeyedMutex<> keyed;
  ExclusionCheck check(
      companion, [&](std::size_t key) { return keyed.handle(key); }, 100, 1);
  EXPECT_EQ(check.prove().violations, 0u);
  EXPECT_EQ(keyed.keys_kept(), 0u);
}

TEST(ExclusionCheck, ALockThatLetsEverybodyInIsConvicted) {
  Companion companion;
  ExclusionCheck check(
      companion, [](std::size_t) { return OpenDoor{}; }, 1, 1);
  EXPECT_EQ(check.prove().violations, 1u);
}

TEST(ExclusionCheck, LeasesAreCountedByTheirHolders) {
  for (const std::uint32_t said : {3U, 4U, 5U}) {  // of 4
    Companion companion;
    LeasePool pool(3, 4);
    ExclusionCheck check(
        companion, [&](std::size_t shard) { return pool.handle(shard); }, 3, said);
    const Proof proof = check.prove();
    EXPECT_EQ(proof.violations != 0, said != 4) << said;
    EXPECT_EQ(proof.lost_updates, 0u);
  }
}

TEST(ExclusionCheck, AKeyThatTheLoopLeftTakenIsConvicted) {
  Companion companion;
  KeyedMutex<> keyed;
  auto forgotten = keyed.handle(std::uint64_t{7});
  std::scoped_lock guard(forgotten);
  ExclusionCheck check(
      companion, [&](std::size_t key) { return keyed.handle(key); }, 10, 1);
  EXPECT_EQ(check.prove().violations, 1u);
}

TEST(ExclusionCheck, LostUpdatesAreSeen) {
  if (usable_processors() < 2) GTEST_SKIP() << "two threads rarely meet on one processor";
  Companion companion;
  std::mutex mutex;
  std::uint64_t lost = 0;
  while (lost == 0) {  // one race lasts some microseconds, and may miss the other thread
    ExclusionCheck check(
        companion, [&](std::size_t) { return OpenToWaiters{mutex}; }, 1, 1);
    const Proof proof = check.prove();
    ASSERT_EQ(proof.violations, 0u);
    lost = proof.lost_updates;
  }
}

TEST(ExclusionCheck, NoLockIsNotAskedToExclude) {
  Companion companion;
  NoLock none;
  ExclusionCheck check(
      companion, [&](std::size_t key) { return none.handle(key); }, 1, 1);
  EXPECT_EQ(check.prove_alone().lost_updates, 0u);
}

}  // namespace
}  // namespace lockbench
