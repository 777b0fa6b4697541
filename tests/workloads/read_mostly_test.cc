// SPDX-License-Identifier: Apache-2.0

// ReadMostly: which operations write, which hold each takes, and what its proof convicts.
#include "workloads/read_mostly.h"

#include <algorithm>
#include <cmath>
#include <shared_mutex>
#include <span>

#include <gtest/gtest.h>

#include "primitives/keyed_mutex.h"
#include "primitives/keyed_shared_mutex.h"
#include "primitives/no_lock.h"
#include "primitives/striped_lock.h"
#include "tests/workloads/during_hold.h"
#include "tests/workloads/stand_ins.h"

namespace lockbench {
namespace {

std::size_t writes_in(std::span<const std::uint32_t> ring) {
  return static_cast<std::size_t>(std::count_if(ring.begin(), ring.end(), [](std::uint32_t entry) {
    return OperationRings::decode(entry).writes;
  }));
}

TEST(OperationRings, HaveTheShareOfWritesInEveryRing) {
  for (const double share : {0.0, 0.01, 0.25, 1.0}) {
    const WorkloadSettings settings{.threads = 3, .keys = 7, .write_share = share};
    const OperationRings rings = OperationRings::draw(settings);
    for (std::uint32_t thread = 0; thread < settings.threads; ++thread) {
      const auto ring = rings.of(thread);
      EXPECT_EQ(writes_in(ring),
                static_cast<std::size_t>(std::llround(share * static_cast<double>(ring.size()))))
          << share;
    }
  }
}

TEST(OperationRings, HaveOneWriteAtLeast) {
  const OperationRings rings = OperationRings::draw({.keys = 7, .write_share = 1e-9});
  EXPECT_EQ(writes_in(rings.of(0)), 1u);
  const OperationRings few =
      OperationRings::draw({.keys = 7, .write_share = 0.01, .operations = 5});
  EXPECT_EQ(few.of(0).size(), 5u);
  EXPECT_EQ(writes_in(few.of(0)), 1u);
}

TEST(OperationRings, HaveTheKeysOfTheSettings) {
  WorkloadSettings settings{.threads = 2, .keys = 7, .write_share = 0.5};
  const KeySequences keys = KeySequences::draw(settings);
  const OperationRings rings = OperationRings::draw(settings);
  for (std::size_t i = 0; i < keys.of(1).size(); ++i) {
    ASSERT_EQ(OperationRings::decode(rings.of(1)[i]).key, keys.of(1)[i]);
  }
  settings.key_distribution.kind = KeyDistribution::Kind::kOwn;
  const OperationRings own = OperationRings::draw(settings);
  for (const std::uint32_t entry : own.of(1)) {
    ASSERT_EQ(OperationRings::decode(entry).key, 1u);
  }
}

template <class P>
using Numbers = ReadMostly<P, std::uint64_t>;

TEST(ReadMostly, UnderALockNothingIsLost) {
  const auto check = []<class P>(P&& primitive) {
    Stage<Numbers<P>, P> stage(primitive, {.threads = 3, .keys = 5, .write_share = 0.3});
    EXPECT_EQ(stage.operate_all(1000), 3000u);
    expect_holds(stage.prove());
    EXPECT_EQ(stage.given_up(), 0u);
  };
  check(KeyedMutex<>());
  check(KeyedSharedMutex<>());
  check(StripedLock<std::shared_mutex>(4));
}

TEST(ReadMostly, OnlyWritesAreCounted) {
  KeyedSharedMutex<> primitive;
  Stage<Numbers<KeyedSharedMutex<>>, KeyedSharedMutex<>> stage(
      primitive, {.keys = 1, .write_share = 0.25, .operations = 8});
  stage.operate_all(8);
  const Proof proof = stage.prove();
  expect_holds(proof);
  EXPECT_EQ(proof.counts, "2");
  EXPECT_EQ(stage.workload().hold_bound()->busiest_key_holds, 2u);
}

TEST(ReadMostly, ReadersShareAKeyWhereTheLockHasSharedHolds) {
  KeyedSharedMutex<> primitive;
  Stage<Numbers<KeyedSharedMutex<>>, KeyedSharedMutex<>> stage(
      primitive, {.threads = 2, .keys = 1, .hold = kHoldAsleep, .write_share = 0});
  bool both = false;
  during_next_hold([&] { both = stage.glance(1); });
  stage.operate(0);
  EXPECT_TRUE(both);

  KeyedMutex<> exclusive;
  Stage<Numbers<KeyedMutex<>>, KeyedMutex<>> alone(
      exclusive, {.threads = 2, .keys = 1, .hold = kHoldAsleep, .write_share = 0});
  during_next_hold([&] {
    auto handle = exclusive.handle(std::uint64_t{0});
    both = handle.try_lock();
  });
  alone.operate(0);
  EXPECT_FALSE(both);
}

// Settings for one operation of each of two threads, the first of which reads or writes and the
// second of which writes.
WorkloadSettings first_operations(bool first_writes) {
  WorkloadSettings settings{
      .threads = 2, .keys = 1, .hold = kHoldAsleep, .write_share = 0.5, .operations = 2};
  const auto fits = [&] {
    const OperationRings rings = OperationRings::draw(settings);
    return OperationRings::decode(rings.of(0)[0]).writes == first_writes &&
           OperationRings::decode(rings.of(1)[0]).writes;
  };
  while (!fits() && settings.seed < 1000) ++settings.seed;
  EXPECT_TRUE(fits());
  return settings;
}

TEST(ReadMostly, AWriteWithinAnothersHoldIsSeen) {
  for (const bool first_writes : {false, true}) {
    NoLock primitive;
    Stage<Numbers<NoLock>, NoLock> stage(primitive, first_operations(first_writes));
    during_next_hold([&] { stage.operate(1); });
    stage.operate(0);
    const Proof proof = stage.prove();
    EXPECT_EQ(proof.violations, 1u) << first_writes;
    EXPECT_EQ(proof.lost_updates, first_writes ? 1u : 0u) << first_writes;
  }
}

TEST(ReadMostly, GivenUpAcquisitionsAreNoLostUpdates) {
  using Lists = Numbers<Impatient<KeyedMutex<>>>;
  expect_given_up_are_not_lost<KeyedMutex<>, Lists>({.threads = 3, .keys = 4, .write_share = 0.5});
}

}  // namespace
}  // namespace lockbench
