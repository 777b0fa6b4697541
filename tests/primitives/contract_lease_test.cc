// Leases: numbers that are given out once and all come back.
#include <array>
#include <atomic>
#include <barrier>
#include <latch>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "primitives/internal/wait_queue.h"
#include "tests/primitives/contract.h"
#include "tests/primitives/primitive_list.h"

namespace lockbench {
namespace {

struct GivesLeases {
  template <class S>
  static constexpr bool kFor = LeaseLock<typename S::Primitive, typename S::KeyType>;
};

template <class S>
class Leases : public ContractTest<S> {};
TYPED_TEST_SUITE(Leases, Where<GivesLeases>, NameOfSubject);

TYPED_TEST(Leases, ShardsAndCapacityAreAsAskedFor) {
  EXPECT_EQ(this->primitive_->shards(), TypeParam::kShards);
  EXPECT_EQ(this->primitive_->capacity(), TypeParam::kLeases);
  EXPECT_EQ(this->primitive_->available(0), TypeParam::kLeases);
  EXPECT_EQ(typename TestFixture::P(2).capacity(), 10u);
}

TYPED_TEST(Leases, HoldersHaveDifferentNumbersBelowCapacity) {
  auto a = this->handle(1);
  auto b = this->handle(1);
  auto c = this->handle(1);
  a.lock();
  b.lock();
  c.lock();
  EXPECT_EQ((std::set{a.lease(), b.lease(), c.lease()}), (std::set<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(this->primitive_->available(1), 0u);
  EXPECT_EQ(this->primitive_->available(2), TypeParam::kLeases);
  auto d = this->handle(1);
  EXPECT_FALSE(d.try_lock());
  b.unlock();
  ASSERT_TRUE(d.try_lock());
  EXPECT_EQ(d.lease(), b.lease());
  for (auto* handle : {&a, &c, &d}) handle->unlock();
  EXPECT_EQ(this->primitive_->available(1), TypeParam::kLeases);
}

TYPED_TEST(Leases, NoLeaseHasTwoHoldersAndNoneIsLost) {
  std::array<std::atomic<int>, TypeParam::kLeases> holders{};
  std::atomic<int> wrong{0};
  run_threads(6, [&](std::size_t) {
    for (int i = 0; i < 300; ++i) {
      auto handle = this->handle(1);
      std::scoped_lock guard(handle);
      if (handle.lease() >= TypeParam::kLeases) {
        wrong.fetch_add(1);
        continue;
      }
      if (holders[handle.lease()].fetch_add(1) != 0) wrong.fetch_add(1);
      if (i % 16 == 0) std::this_thread::yield();
      holders[handle.lease()].fetch_sub(1);
    }
  });
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(this->primitive_->available(1), TypeParam::kLeases);
}

TYPED_TEST(Leases, OneIsAPoolToo) {
  typename TestFixture::P single(1, 1);
  auto held = single.handle(0);
  std::scoped_lock guard(held);
  EXPECT_EQ(held.lease(), 0u);
  EXPECT_FALSE(elsewhere([&] { return single.handle(0).try_lock(); }));
}

// As many waiters as leases, who leave only when all of them are in: a lease that comes back while
// another's wake-up is under way must still reach the second waiter.
TYPED_TEST(Leases, EveryLeaseThatComesBackReachesAWaiter) {
  constexpr int kRounds = 40;
  for (int round = 0; round < kRounds; ++round) {
    const auto shard = static_cast<std::uint64_t>(round) % TypeParam::kShards;
    std::barrier meet(static_cast<std::ptrdiff_t>(TypeParam::kLeases));
    std::latch started(static_cast<std::ptrdiff_t>(TypeParam::kLeases));
    std::vector<std::jthread> waiters;
    Holders all(*this->primitive_, shard, TypeParam::kLeases);
    for (std::uint32_t i = 0; i < TypeParam::kLeases; ++i) {
      waiters.emplace_back([&] {
        started.count_down();
        auto handle = this->primitive_->handle(shard);
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
