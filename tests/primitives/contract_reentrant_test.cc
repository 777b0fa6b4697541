// SPDX-License-Identifier: Apache-2.0

// Reentrant locks: their owner may lock again; others wait for the last unlock.
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "primitives/reentrant_lock.h"
#include "tests/primitives/contract.h"

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
