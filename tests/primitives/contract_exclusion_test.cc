// SPDX-License-Identifier: Apache-2.0

// The guarantee of every primitive: as many inside as its capacity says, and not one more.
#include <array>
#include <atomic>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "primitives/internal/wait_queue.h"
#include "primitives/no_lock.h"
#include "tests/primitives/contract.h"
#include "tests/primitives/threads.h"

namespace lockbench {
namespace {

static_assert(KeyedLock<NoLock, std::uint64_t> && KeyedLock<NoLock, std::string_view>);
static_assert(PairLock<NoLock> && !NoLock::kPromises.excludes);

TEST(NoLock, NeverWaitsForAHolder) {
  NoLock none;
  auto held = none.handle(std::uint64_t{1});
  std::scoped_lock guard(held);
  auto other = none.handle(std::uint64_t{1});
  EXPECT_TRUE(other.try_lock());
}

class Exclusion : public ContractTest {};
INSTANTIATE_TEST_SUITE_P(Of, Exclusion, candidates_where([](const Candidate&) { return true; }),
                         name_of);

// A counter that is read, and written later: an update is lost when two threads are inside.
void add_one(std::atomic<int>& counter, bool slowly) {
  // relaxed: the lock under test is what orders it.
  const int seen = counter.load(std::memory_order_relaxed);
  if (slowly) std::this_thread::yield();
  counter.store(seen + 1, std::memory_order_relaxed);
}

TEST_P(Exclusion, NoUpdateIsLost) {
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kRounds = 600;
  constexpr std::size_t kKeys = 3;
  std::array<std::array<std::atomic<int>, kLeases>, kKeys> counters{};
  run_threads(kThreads, [&](std::size_t number) {
    for (std::size_t i = 0; i < kRounds; ++i) {
      const std::size_t key = (i + number) % kKeys;
      auto handle = handle_of(key);
      std::scoped_lock guard(handle);
      add_one(counters[key][handle.lease()], i % 32 == 0);
    }
  });
  int sum = 0;
  for (const auto& of_key : counters) {
    for (const auto& counter : of_key) sum += counter.load();
  }
  EXPECT_EQ(sum, kThreads * kRounds);
}

TEST_P(Exclusion, NeverMoreThanCapacityAreInside) {
  const int capacity = static_cast<int>(primitive_->capacity());
  std::atomic<int> inside{0};
  std::atomic<int> too_many{0};
  run_threads(capacity + 3, [&](std::size_t) {
    for (int i = 0; i < 200; ++i) {
      auto handle = handle_of(1);
      std::scoped_lock guard(handle);
      if (inside.fetch_add(1) + 1 > capacity) too_many.fetch_add(1);
      if (i % 32 == 0) std::this_thread::yield();
      inside.fetch_sub(1);
    }
  });
  EXPECT_EQ(too_many.load(), 0);
}

TEST_P(Exclusion, TryLockFailsWhenAllIsTakenAndSucceedsAfterwards) {
  {
    auto holders = take_all(1);
    EXPECT_FALSE(is_free(1));
  }
  EXPECT_TRUE(is_free(1));
}

TEST_P(Exclusion, TryLockSucceedsOnTheLastUnit) {
  Holders others = take_all_but_one(1);
  EXPECT_TRUE(is_free(1));
}

TEST_P(Exclusion, TryLockKeepsOthersOut) {
  Holders others = take_all_but_one(1);
  auto handle = handle_of(1);
  ASSERT_TRUE(handle.try_lock());
  EXPECT_FALSE(is_free(1));
  handle.unlock();
  EXPECT_TRUE(is_free(1));
}

TEST_P(Exclusion, MixedTriesAndLocksLoseNoUpdate) {
  std::array<std::atomic<int>, kLeases> counters{};
  std::atomic<int> done{0};
  run_threads(4, [&](std::size_t number) {
    for (int i = 0; i < 300; ++i) {
      auto handle = handle_of(1);
      std::unique_lock guard(handle, std::defer_lock);
      if (number % 2 == 0) {
        guard.lock();
      } else if (!guard.try_lock()) {
        continue;
      }
      add_one(counters[handle.lease()], i % 32 == 0);
      done.fetch_add(1);
    }
  });
  int sum = 0;
  for (const auto& counter : counters) sum += counter.load();
  EXPECT_EQ(sum, done.load());
  EXPECT_TRUE(is_free(1));
}

TEST_P(Exclusion, AHandleCanBeUsedAgainAndAgain) {
  auto handle = handle_of(1);
  for (int i = 0; i < 100; ++i) {
    std::scoped_lock guard(handle);
  }
  ASSERT_TRUE(handle.try_lock());
  handle.unlock();
  EXPECT_TRUE(is_free(1));
}

TEST_P(Exclusion, EveryOneOf64WaitersGetsIn) {
  constexpr int kWaiters = 64;
  std::array<std::atomic<int>, kLeases> counters{};
  {
    auto holders = take_all(1);
    Latch started(kWaiters);
    std::vector<JoiningThread> waiters;
    for (int i = 0; i < kWaiters; ++i) {
      waiters.emplace_back([&] {
        started.count_down();
        auto handle = handle_of(1);
        std::scoped_lock guard(handle);
        add_one(counters[handle.lease()], false);
      });
    }
    started.wait();
    // Long enough for some to lose their patience.
    let_pass(2 * internal::WaitQueue::kPatience);
    holders.let_go();
  }
  int sum = 0;
  for (const auto& counter : counters) sum += counter.load();
  EXPECT_EQ(sum, kWaiters);
  EXPECT_TRUE(is_free(1));
}

}  // namespace
}  // namespace lockbench
