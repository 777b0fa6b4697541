// SPDX-License-Identifier: Apache-2.0

// The published queue of leases, and the array of mutexes that it replaced.
#include "primitives/as_published/lease_as_published.h"

#include <barrier>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "primitives/as_published/random_mutexes_as_published.h"

namespace lockbench {
namespace {

static_assert(LeaseLock<LeaseAsPublished>);
static_assert(LeaseLock<RandomMutexesAsPublished>);

TEST(LeaseAsPublished, WhatCameBackLastIsGivenOutLast) {
  LeaseAsPublished pool(1, 3);
  std::vector<std::uint32_t> taken;
  for (int i = 0; i < 4; ++i) {
    auto handle = pool.handle(0);
    std::scoped_lock guard(handle);
    taken.push_back(handle.lease());
  }
  EXPECT_EQ(taken, (std::vector<std::uint32_t>{0, 1, 2, 0}));
}

// F1: all leases are out, to threads of which each asks for one more.
TEST(LeaseAsPublished, ASecondLeaseIsNotToBeHadWhenEveryHolderAsks) {
  constexpr int kThreads = 4;
  LeaseAsPublished pool(1, kThreads);
  std::barrier step(kThreads);
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      auto first = pool.handle(0);
      std::scoped_lock guard(first);
      step.arrive_and_wait();
      EXPECT_FALSE(pool.handle(0).try_lock());
      step.arrive_and_wait();
    });
  }
}

TEST(RandomMutexesAsPublished, EveryMutexIsPickedSoonerOrLater) {
  RandomMutexesAsPublished mutexes(1, 10);
  std::set<std::uint32_t> picked;
  for (int i = 0; i < 1000; ++i) {
    auto handle = mutexes.handle(0);
    std::scoped_lock guard(handle);
    picked.insert(handle.lease());
  }
  EXPECT_EQ(picked.size(), 10u);
}

TEST(RandomMutexesAsPublished, ShardsAreIndependent) {
  RandomMutexesAsPublished mutexes(2, 1);
  auto here = mutexes.handle(0);
  std::scoped_lock guard(here);
  EXPECT_FALSE(mutexes.handle(0).try_lock());
  auto there = mutexes.handle(1);
  EXPECT_TRUE(there.try_lock());
  there.unlock();
}

TEST(RandomMutexesAsPublished, ATryFindsTheOneThatIsFree) {
  RandomMutexesAsPublished mutexes(1, 3);
  auto a = mutexes.handle(0);
  auto b = mutexes.handle(0);
  auto c = mutexes.handle(0);
  auto d = mutexes.handle(0);
  ASSERT_TRUE(a.try_lock());
  ASSERT_TRUE(b.try_lock());
  ASSERT_TRUE(c.try_lock());
  EXPECT_EQ((std::set{a.lease(), b.lease(), c.lease()}), (std::set<std::uint32_t>{0, 1, 2}));
  EXPECT_FALSE(d.try_lock());
  for (auto* handle : {&a, &b, &c}) handle->unlock();
}

// The first picks of a fresh array of two.
std::vector<std::uint32_t> first_picks() {
  RandomMutexesAsPublished mutexes(1, 2);
  std::vector<std::uint32_t> picks;
  for (int i = 0; i < 20; ++i) {
    auto handle = mutexes.handle(0);
    std::scoped_lock guard(handle);
    picks.push_back(handle.lease());
  }
  return picks;
}

// F1: the thread whose pick falls on the held mutex gets that very one, from its holder's hands,
// though the other was free when it asked.
TEST(RandomMutexesAsPublished, AThreadWaitsForItsPickWhileAnotherIsFree) {
  const std::vector<std::uint32_t> picks = first_picks();
  RandomMutexesAsPublished mutexes(1, 2);
  auto held = mutexes.handle(0);
  held.lock();
  ASSERT_EQ(held.lease(), picks[0]);
  auto other = mutexes.handle(0);
  ASSERT_TRUE(other.try_lock());  // the second pick, whichever it is
  other.unlock();
  for (std::size_t i = 2; picks.at(i) != picks[0]; ++i) {
    auto free_one = mutexes.handle(0);
    std::scoped_lock guard(free_one);
  }
  std::jthread unlucky([&] {
    auto handle = mutexes.handle(0);
    std::scoped_lock guard(handle);
    EXPECT_EQ(handle.lease(), picks[0]);
  });
  held.unlock();
}

}  // namespace
}  // namespace lockbench
