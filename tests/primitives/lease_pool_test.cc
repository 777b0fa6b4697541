// SPDX-License-Identifier: Apache-2.0

// LeasePool: its own promises beyond the contract: order, nesting, census.
#include "primitives/lease_pool.h"

#include <barrier>
#include <cerrno>
#include <chrono>
#include <latch>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace lockbench {
namespace {

using Fifo = BasicLeasePool<LeaseOrder::kFifo>;
using Sharing = BasicLeasePool<LeaseOrder::kUnordered, LeaseNesting::kShare>;
using Waiting = BasicLeasePool<LeaseOrder::kUnordered, LeaseNesting::kWait>;

static_assert(LeaseLock<LeasePool> && LeaseLock<Sharing> && LeaseLock<Waiting>);
static_assert(Fifo::kPromises.fair && !LeasePool::kPromises.fair);

template <class Pool>
void await_waiting(const Pool& pool, std::uint32_t waiting) {
  while (pool.census(0).waiting != waiting) std::this_thread::yield();
}

// True if lock() of one more lease of shard 0 says that it would deadlock.
template <class Pool>
bool refuses(Pool& pool) {
  try {
    auto handle = pool.handle(0);
    std::scoped_lock guard(handle);
    return false;
  } catch (const std::system_error& error) {
    return error.code() == std::errc::resource_deadlock_would_occur;
  }
}

TEST(LeasePool, TheCensusTellsFreeOutAndWaiting) {
  LeasePool pool(2, 3);
  EXPECT_EQ(pool.census(0), (LeaseCensus{.free = 3, .out = 0, .waiting = 0}));
  auto a = pool.handle(0);
  auto b = pool.handle(0);
  auto c = pool.handle(0);
  {
    std::scoped_lock guards(a, b);
    EXPECT_EQ(pool.census(0), (LeaseCensus{.free = 1, .out = 2, .waiting = 0}));
    EXPECT_EQ(pool.census(1), (LeaseCensus{.free = 3, .out = 0, .waiting = 0}));
    std::unique_lock third(c);
    std::jthread waiter([&] {
      auto handle = pool.handle(0);
      std::scoped_lock guard(handle);
    });
    await_waiting(pool, 1);
    EXPECT_EQ(pool.census(0), (LeaseCensus{.free = 0, .out = 3, .waiting = 1}));
    third.unlock();
  }
  EXPECT_EQ(pool.census(0), (LeaseCensus{.free = 3, .out = 0, .waiting = 0}));
}

TEST(LeasePool, WhoeverGivesUpWaitingIsNoLongerCounted) {
  LeasePool pool(1, 1);
  auto held = pool.handle(0);
  std::scoped_lock guard(held);
  std::jthread([&] {
    EXPECT_FALSE(pool.handle(0).try_lock_for(std::chrono::microseconds(100)));
  }).join();
  EXPECT_EQ(pool.census(0).waiting, 0u);
}

// Each waiter comes when the one before is in the queue, and the lease goes through their hands.
TEST(LeasePool, FifoServesInTheOrderOfComing) {
  constexpr std::uint32_t kWaiters = 12;
  Fifo pool(1, 1);
  std::vector<std::uint32_t> served;  // under the lease
  std::latch tried(1);                // until then, the lease stays with who was served first
  std::vector<std::jthread> waiters;
  auto held = pool.handle(0);
  held.lock();
  for (std::uint32_t i = 0; i < kWaiters; ++i) {
    waiters.emplace_back([&pool, &served, &tried, i] {
      auto handle = pool.handle(0);
      std::scoped_lock guard(handle);
      served.push_back(i);
      tried.wait();
    });
    await_waiting(pool, i + 1);
  }
  held.unlock();
  EXPECT_FALSE(held.try_lock()) << "nobody overtakes a waiter";
  tried.count_down();
  waiters.clear();
  ASSERT_EQ(served.size(), kWaiters);
  for (std::uint32_t i = 0; i < kWaiters; ++i) EXPECT_EQ(served[i], i);
}

// With as many leases as threads, nobody takes from another what it had.
TEST(LeasePool, AThreadComesBackToTheLeaseThatItHad) {
  LeasePool pool(2, 4);
  const auto lease_of = [&pool](std::uint64_t shard) {
    auto handle = pool.handle(shard);
    std::scoped_lock guard(handle);
    return handle.lease();
  };
  const std::uint32_t mine = lease_of(0);
  std::jthread([&] {
    auto theirs = pool.handle(0);
    std::scoped_lock guard(theirs);
    EXPECT_EQ(lease_of(1), theirs.lease());
  }).join();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(lease_of(i % 2), mine);
}

TEST(LeasePool, ASecondLeaseIsServedWhileOneIsFree) {
  LeasePool pool(1, 2);
  auto first = pool.handle(0);
  auto second = pool.handle(0);
  std::scoped_lock guards(first, second);
  EXPECT_NE(first.lease(), second.lease());
  EXPECT_TRUE(refuses(pool)) << "both are this thread's own";
  EXPECT_EQ(pool.census(0), (LeaseCensus{.free = 0, .out = 2, .waiting = 0}));
}

TEST(LeasePool, WhoeverHasNoLeaseIsNeverRefused) {
  LeasePool pool(1, 1);
  auto held = pool.handle(0);
  held.lock();
  std::jthread other([&] { EXPECT_FALSE(refuses(pool)); });
  await_waiting(pool, 1);
  held.unlock();
}

// If all holders ask for one more, the last to ask is refused; what it gives back serves the next,
// and so on.
TEST(LeasePool, TheLastHolderThatAsksIsRefusedAndTheOthersAreServed) {
  constexpr int kThreads = 4;
  LeasePool pool(1, kThreads);
  std::barrier all_hold(kThreads);
  std::atomic<int> refused{0};
  std::atomic<int> served{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      auto first = pool.handle(0);
      std::scoped_lock guard(first);
      all_hold.arrive_and_wait();
      ++(refuses(pool) ? refused : served);
    });
  }
  threads.clear();
  EXPECT_EQ(refused.load(), 1);
  EXPECT_EQ(served.load(), kThreads - 1);
  EXPECT_EQ(pool.census(0), (LeaseCensus{.free = kThreads, .out = 0, .waiting = 0}));
}

TEST(LeasePool, AnAskerWithALimitWaitsItOutInstead) {
  LeasePool pool(1, 1);
  auto held = pool.handle(0);
  std::scoped_lock guard(held);
  EXPECT_FALSE(pool.handle(0).try_lock());
  EXPECT_FALSE(pool.handle(0).try_lock_for(std::chrono::microseconds(100)));
  EXPECT_TRUE(refuses(pool));
}

// A holder that waits with a limit will go: another's endless wait can be served.
TEST(LeasePool, OneThatWaitsWithALimitKeepsNobodyFromWaiting) {
  LeasePool pool(1, 2);
  std::barrier both_hold(2);
  std::jthread limited([&] {
    auto first = pool.handle(0);
    std::scoped_lock guard(first);
    both_hold.arrive_and_wait();
    auto second = pool.handle(0);
    if (second.try_lock_for(std::chrono::milliseconds(20))) second.unlock();
  });
  auto first = pool.handle(0);
  std::scoped_lock guard(first);
  both_hold.arrive_and_wait();
  EXPECT_FALSE(refuses(pool));
}

TEST(LeasePool, SharingGoesInOnTheLeaseThatTheThreadHas) {
  Sharing pool(1, 2);
  auto outer = pool.handle(0);
  outer.lock();
  {
    auto inner = pool.handle(0);
    std::scoped_lock guard(inner);
    EXPECT_EQ(inner.lease(), outer.lease());
    EXPECT_EQ(pool.census(0), (LeaseCensus{.free = 1, .out = 1, .waiting = 0}));
  }
  EXPECT_EQ(pool.census(0).out, 1u) << "it comes back with the last unlock";
  outer.unlock();
  EXPECT_EQ(pool.census(0).out, 0u);
}

TEST(LeasePool, SharingKeepsOtherThreadsOut) {
  Sharing pool(1, 1);
  auto outer = pool.handle(0);
  auto inner = pool.handle(0);
  ASSERT_TRUE(outer.try_lock());
  ASSERT_TRUE(inner.try_lock());
  outer.unlock();
  std::jthread([&] { EXPECT_FALSE(pool.handle(0).try_lock()); }).join();
  inner.unlock();
  std::jthread([&] {
    auto handle = pool.handle(0);
    EXPECT_TRUE(handle.try_lock());
    handle.unlock();
  }).join();
}

// As many threads as leases, each of which goes in twice: what deadlocks under kWait.
TEST(LeasePool, UnderSharingEveryHolderMayGoInAgain) {
  constexpr int kThreads = 4;
  Sharing pool(1, kThreads);
  std::barrier all_hold(kThreads);
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      auto first = pool.handle(0);
      std::scoped_lock guard(first);
      all_hold.arrive_and_wait();
      auto second = pool.handle(0);
      std::scoped_lock again(second);
      EXPECT_EQ(first.lease(), second.lease());
    });
  }
  threads.clear();
  EXPECT_EQ(pool.census(0).out, 0u);
}

TEST(LeasePool, WaitingRefusesNobody) {
  Waiting pool(1, 1);
  auto held = pool.handle(0);
  held.lock();
  std::jthread waiter([&] { EXPECT_FALSE(refuses(pool)); });
  await_waiting(pool, 1);
  EXPECT_FALSE(pool.handle(0).try_lock_for(std::chrono::microseconds(100)));
  held.unlock();
}

TEST(LeasePool, NeedsAShardAndALease) {
  EXPECT_THROW(LeasePool(1, 0), std::invalid_argument);
  EXPECT_THROW(LeasePool(0, 1), std::invalid_argument);
}

TEST(LeasePool, WaitingAndWakingLeaveErrnoAsItWas) {
  LeasePool pool(1, 1);
  auto held = pool.handle(0);
  held.lock();
  errno = EILSEQ;
  auto late = pool.handle(0);
  EXPECT_FALSE(late.try_lock_for(std::chrono::milliseconds(1)));
  EXPECT_EQ(errno, EILSEQ);
  std::jthread waiter([&] {
    auto handle = pool.handle(0);
    errno = EDOM;
    const std::scoped_lock guard(handle);
    EXPECT_EQ(errno, EDOM);
  });
  await_waiting(pool, 1);
  held.unlock();
  EXPECT_EQ(errno, EILSEQ);
}

}  // namespace
}  // namespace lockbench
