// SPDX-License-Identifier: Apache-2.0

// Reentrant locks: their owner may lock again; others wait for the last unlock.
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>
#include <type_traits>

#include <gtest/gtest.h>

#include "primitives/adaptive_mutex.h"
#include "primitives/lease_pool.h"
#include "primitives/platform/thread.h"
#include "primitives/recursive_mutex.h"
#include "primitives/reentrant_lock.h"
#include "tests/primitives/contract.h"
#include "tests/primitives/threads.h"

namespace lockbench {
namespace {

class Reentrant : public ContractTest {};
INSTANTIATE_TEST_SUITE_P(Of, Reentrant,
                         candidates_where([](const Candidate& c) { return c.promises.reentrant; }),
                         name_of);

TEST_P(Reentrant, OthersAreKeptOutUntilTheLastUnlock) {
  constexpr int kDepth = 5;
  auto handle = handle_of(1);
  for (int i = 0; i < kDepth; ++i) handle.lock();
  for (int i = 0; i < kDepth; ++i) {
    EXPECT_FALSE(is_free(1));
    handle.unlock();
  }
  EXPECT_TRUE(is_free(1));
}

TEST_P(Reentrant, DepthIsKeptByTheLockAndNotByTheHandle) {
  auto outer = handle_of(1);
  std::scoped_lock outer_guard(outer);
  {
    auto inner = handle_of(1);
    std::scoped_lock inner_guard(inner);
  }
  EXPECT_FALSE(is_free(1));
}

TEST_P(Reentrant, TheOwnersTryGoesDeeper) {
  auto handle = handle_of(1);
  handle.lock();
  ASSERT_TRUE(handle.try_lock());
  handle.unlock();
  EXPECT_FALSE(is_free(1));
  handle.unlock();
  EXPECT_TRUE(is_free(1));
}

TEST_P(Reentrant, AThousandLevelsComeBack) {
  constexpr int kDepth = 1000;
  auto handle = handle_of(1);
  for (int i = 0; i < kDepth; ++i) handle.lock();
  for (int i = 1; i < kDepth; ++i) handle.unlock();
  EXPECT_FALSE(is_free(1));
  handle.unlock();
  EXPECT_TRUE(is_free(1));
}

TEST_P(Reentrant, NestedUpdatesOfManyThreadsAreKept) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 300;
  std::atomic<int> counter{0};
  run_threads(kThreads, [&](std::size_t number) {
    for (int i = 0; i < kRounds; ++i) {
      const int depth = 1 + (i + static_cast<int>(number)) % 5;
      auto handle = handle_of(1);
      for (int level = 0; level < depth; ++level) handle.lock();
      // relaxed: the lock under test is what orders it.
      const int seen = counter.load(std::memory_order_relaxed);
      if (i % 32 == 0) std::this_thread::yield();
      for (int level = 1; level < depth; ++level) handle.unlock();
      counter.store(seen + 1, std::memory_order_relaxed);
      handle.unlock();
    }
  });
  EXPECT_EQ(counter.load(), kThreads * kRounds);
}

TEST(ThreadToken, IsNeverUsedAgain) {
  constexpr std::size_t kThreads = 200;
  std::set<platform::ThreadToken> seen{platform::kNoThread, platform::this_thread()};
  for (std::size_t i = 0; i < kThreads; ++i) {
    JoiningThread([&] { seen.insert(platform::this_thread()); }).join();
  }
  EXPECT_EQ(seen.size(), 2 + kThreads);
}

// The C library gives a new thread the memory of one that ended.
template <class Lock>
class DeadOwner : public testing::Test {};
using LocksWithOwners = testing::Types<  //
    ReentrantLock<>, ReentrantLock<RecursiveMutex<AdaptiveMutex>>,
    BasicLeasePool<LeaseOrder::kUnordered, LeaseNesting::kShare>>;
TYPED_TEST_SUITE(DeadOwner, LocksWithOwners);

TYPED_TEST(DeadOwner, NewThreadsAreNotTakenForIt) {
  constexpr int kLocks = 20;  // more than it takes to be biased
  constexpr int kThreads = 50;
  // Never destroyed, nor is the handle: they are held for ever, which a debug build would report.
  static TypeParam& lock = *[] {
    if constexpr (std::is_default_constructible_v<TypeParam>) {
      return new TypeParam();
    } else {
      return new TypeParam(1, 1);
    }
  }();
  JoiningThread([] {
    static auto& owner = *new auto(lock.handle(std::uint64_t{0}));
    for (int i = 0; i < kLocks; ++i) {
      owner.lock();
      owner.unlock();
    }
    owner.lock();
  }).join();
  for (int i = 0; i < kThreads; ++i) {
    ASSERT_FALSE(elsewhere([&] { return lock.handle(std::uint64_t{0}).try_lock(); })) << i;
  }
}

TEST(ReentrantLock, TheOwnersTimedLockGoesDeeperAtOnce) {
  ReentrantLock<> lock;
  auto handle = lock.handle(std::uint64_t{1});
  handle.lock();
  ASSERT_TRUE(handle.try_lock_for(std::chrono::nanoseconds(0)));
  handle.unlock();
  EXPECT_FALSE(elsewhere([&] { return lock.handle(std::uint64_t{1}).try_lock(); }));
  handle.unlock();
}

}  // namespace
}  // namespace lockbench
