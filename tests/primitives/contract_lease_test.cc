// SPDX-License-Identifier: Apache-2.0

// Leases: numbers that are given out once and all come back.
#include <array>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "primitives/internal/wait_queue.h"
#include "tests/primitives/contract.h"
#include "tests/primitives/threads.h"

namespace lockbench {
namespace {

class Leases : public ContractTest {};
INSTANTIATE_TEST_SUITE_P(Of, Leases, candidates_where([](const Candidate& c) { return c.leases; }),
                         name_of);

TEST_P(Leases, CapacityIsAsAskedForInEveryShard) {
  EXPECT_EQ(primitive_->capacity(), kLeases);
  for (std::size_t shard = 0; shard < kShards; ++shard) {
    EXPECT_EQ(primitive_->available(shard), kLeases);
  }
}

TEST_P(Leases, HoldersHaveDifferentNumbersBelowCapacity) {
  auto a = handle_of(1);
  auto b = handle_of(1);
  auto c = handle_of(1);
  a.lock();
  b.lock();
  c.lock();
  EXPECT_EQ((std::set{a.lease(), b.lease(), c.lease()}), (std::set<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(primitive_->available(1), 0u);
  EXPECT_EQ(primitive_->available(2), kLeases);
  auto d = handle_of(1);
  EXPECT_FALSE(d.try_lock());
  b.unlock();
  ASSERT_TRUE(d.try_lock());
  EXPECT_EQ(d.lease(), b.lease());
  for (auto* handle : {&a, &c, &d}) handle->unlock();
  EXPECT_EQ(primitive_->available(1), kLeases);
}

TEST_P(Leases, NoLeaseHasTwoHoldersAndNoneIsLost) {
  std::array<std::atomic<int>, kLeases> holders{};
  std::atomic<int> wrong{0};
  run_threads(6, [&](std::size_t) {
    for (int i = 0; i < 300; ++i) {
      auto handle = handle_of(1);
      std::scoped_lock guard(handle);
      if (handle.lease() >= kLeases) {
        wrong.fetch_add(1);
        continue;
      }
      if (holders[handle.lease()].fetch_add(1) != 0) wrong.fetch_add(1);
      if (i % 16 == 0) std::this_thread::yield();
      holders[handle.lease()].fetch_sub(1);
    }
  });
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(primitive_->available(1), kLeases);
}

TEST_P(Leases, OneIsAPoolToo) {
  const auto single = GetParam().make(1);
  auto held = single->handle(std::size_t{0});
  std::scoped_lock guard(held);
  EXPECT_EQ(held.lease(), 0u);
  EXPECT_FALSE(elsewhere([&] { return single->handle(std::size_t{0}).try_lock(); }));
}

// As many waiters as leases, who leave only when all of them are in: a lease that comes back while
// another's wake-up is under way must still reach the second waiter.
TEST_P(Leases, EveryLeaseThatComesBackReachesAWaiter) {
  constexpr int kRounds = 40;
  for (int round = 0; round < kRounds; ++round) {
    const auto shard = static_cast<std::size_t>(round) % kShards;
    Latch meet(static_cast<std::ptrdiff_t>(kLeases));
    Latch started(static_cast<std::ptrdiff_t>(kLeases));
    std::vector<JoiningThread> waiters;
    Holders all(*primitive_, shard, kLeases);
    for (std::uint32_t i = 0; i < kLeases; ++i) {
      waiters.emplace_back([&] {
        started.count_down();
        auto handle = primitive_->handle(shard);
        std::scoped_lock guard(handle);
        meet.arrive_and_wait();
      });
    }
    started.wait();
    let_pass(internal::WaitQueue::kPatience * round / kRounds * 2);
    all.let_go();
  }
}

}  // namespace
}  // namespace lockbench
