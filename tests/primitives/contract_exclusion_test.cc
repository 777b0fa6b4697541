// What every primitive guarantees: as many inside as its capacity says, and not one more.
#include <array>
#include <atomic>
#include <barrier>
#include <latch>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "primitives/internal/wait_queue.h"
#include "primitives/no_lock.h"
#include "tests/primitives/contract.h"
#include "tests/primitives/primitive_list.h"

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

template <class S>
class Exclusion : public ContractTest<S> {};
TYPED_TEST_SUITE(Exclusion, Where<Any>, NameOfSubject);

// A counter that is read, and written later: an update is lost when two threads are inside.
void add_one(std::atomic<int>& counter, bool slowly) {
  // relaxed: the lock under test is what orders it.
  const int seen = counter.load(std::memory_order_relaxed);
  if (slowly) std::this_thread::yield();
  counter.store(seen + 1, std::memory_order_relaxed);
}

TYPED_TEST(Exclusion, NoUpdateIsLost) {
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kRounds = 600;
  constexpr std::size_t kKeys = 3;
  std::array<std::array<std::atomic<int>, TypeParam::kLeases>, kKeys> counters{};
  run_threads(kThreads, [&](std::size_t number) {
    for (std::size_t i = 0; i < kRounds; ++i) {
      const std::size_t key = (i + number) % kKeys;
      auto handle = this->handle(key);
      std::scoped_lock guard(handle);
      add_one(counters[key][lease_of(handle)], i % 32 == 0);
    }
  });
  int sum = 0;
  for (const auto& of_key : counters) {
    for (const auto& counter : of_key) sum += counter.load();
  }
  EXPECT_EQ(sum, kThreads * kRounds);
}

TYPED_TEST(Exclusion, NeverMoreThanCapacityAreInside) {
  const int capacity = static_cast<int>(this->primitive_->capacity());
  std::atomic<int> inside{0};
  std::atomic<int> too_many{0};
  run_threads(capacity + 3, [&](std::size_t) {
    for (int i = 0; i < 200; ++i) {
      auto handle = this->handle(1);
      std::scoped_lock guard(handle);
      if (inside.fetch_add(1) + 1 > capacity) too_many.fetch_add(1);
      if (i % 32 == 0) std::this_thread::yield();
      inside.fetch_sub(1);
    }
  });
  EXPECT_EQ(too_many.load(), 0);
}

TYPED_TEST(Exclusion, CapacityCanBeInsideAtOnce) {
  const std::uint32_t capacity = this->primitive_->capacity();
  std::barrier meet(static_cast<std::ptrdiff_t>(capacity));
  run_threads(capacity, [&](std::size_t) {
    auto handle = this->handle(1);
    std::scoped_lock guard(handle);
    meet.arrive_and_wait();
  });
  EXPECT_TRUE(this->is_free(1));
}

TYPED_TEST(Exclusion, TryLockFailsWhenAllIsTakenAndSucceedsAfterwards) {
  {
    auto holders = this->take_all(1);
    EXPECT_FALSE(this->is_free(1));
  }
  EXPECT_TRUE(this->is_free(1));
}

TYPED_TEST(Exclusion, TryLockSucceedsOnTheLastUnit) {
  const std::uint32_t capacity = this->primitive_->capacity();
  Holders holders(*this->primitive_, this->key(1), capacity - 1);
  EXPECT_TRUE(this->is_free(1));
}

TYPED_TEST(Exclusion, TryLockKeepsOthersOut) {
  Holders others(*this->primitive_, this->key(1), this->primitive_->capacity() - 1);
  auto handle = this->handle(1);
  ASSERT_TRUE(handle.try_lock());
  EXPECT_FALSE(this->is_free(1));
  handle.unlock();
  EXPECT_TRUE(this->is_free(1));
}

TYPED_TEST(Exclusion, MixedTriesAndLocksLoseNoUpdate) {
  std::array<std::atomic<int>, TypeParam::kLeases> counters{};
  std::atomic<int> done{0};
  run_threads(4, [&](std::size_t number) {
    for (int i = 0; i < 300; ++i) {
      auto handle = this->handle(1);
      std::unique_lock guard(handle, std::defer_lock);
      if (number % 2 == 0) {
        guard.lock();
      } else if (!guard.try_lock()) {
        continue;
      }
      add_one(counters[lease_of(handle)], i % 32 == 0);
      done.fetch_add(1);
    }
  });
  int sum = 0;
  for (const auto& counter : counters) sum += counter.load();
  EXPECT_EQ(sum, done.load());
  EXPECT_TRUE(this->is_free(1));
}

TYPED_TEST(Exclusion, AHandleCanBeUsedAgainAndAgain) {
  auto handle = this->handle(1);
  for (int i = 0; i < 100; ++i) {
    std::scoped_lock guard(handle);
  }
  ASSERT_TRUE(handle.try_lock());
  handle.unlock();
  EXPECT_TRUE(this->is_free(1));
}

TYPED_TEST(Exclusion, UniqueLockReleasesAtTheEndOfItsScope) {
  Holders others(*this->primitive_, this->key(1), this->primitive_->capacity() - 1);
  {
    auto handle = this->handle(1);
    std::unique_lock guard(handle);
    EXPECT_FALSE(this->is_free(1));
    guard.unlock();
    EXPECT_TRUE(this->is_free(1));
    guard.lock();
  }
  EXPECT_TRUE(this->is_free(1));
}

TYPED_TEST(Exclusion, AnExceptionInTheCriticalSectionReleases) {
  Holders others(*this->primitive_, this->key(1), this->primitive_->capacity() - 1);
  const auto fail = [&] {
    auto handle = this->handle(1);
    std::scoped_lock guard(handle);
    throw std::runtime_error("inside");
  };
  EXPECT_THROW(fail(), std::runtime_error);
  EXPECT_TRUE(this->is_free(1));
}

TYPED_TEST(Exclusion, EveryOneOf64WaitersGetsIn) {
  constexpr int kWaiters = 64;
  std::array<std::atomic<int>, TypeParam::kLeases> counters{};
  {
    auto holders = this->take_all(1);
    std::latch started(kWaiters);
    std::vector<std::jthread> waiters;
    for (int i = 0; i < kWaiters; ++i) {
      waiters.emplace_back([&] {
        started.count_down();
        auto handle = this->handle(1);
        std::scoped_lock guard(handle);
        add_one(counters[lease_of(handle)], false);
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
  EXPECT_TRUE(this->is_free(1));
}

struct HandsOver {
  template <class S>
  static constexpr bool kFor =
      S::kName == std::string_view("lease") || std::string_view(S::kName).starts_with("keyed");
};

// Only our own queueing primitives promise it.
using HandoffPrimitives = Where<HandsOver, Ours>;

template <class S>
class Handoff : public ContractTest<S> {};
TYPED_TEST_SUITE(Handoff, HandoffPrimitives, NameOfSubject);

// Once a waiter has lost its patience, the releasing thread itself cannot take the key again: at no
// moment after unlock() is it free.
TYPED_TEST(Handoff, AnImpatientWaiterIsGivenWhatComesBack) {
  constexpr int kRounds = 500;
  Holders others(*this->primitive_, this->key(1), this->primitive_->capacity() - 1);
  auto handle = this->handle(1);
  handle.lock();
  std::latch tried(1);
  std::jthread waiter([&] {
    auto wanted = this->handle(1);
    std::scoped_lock guard(wanted);
    tried.wait();
  });
  bool handed_over = false;
  // Rounds, because the waiter may not have come to the queue yet.
  for (int round = 0; round < kRounds && !handed_over; ++round) {
    let_pass(2 * internal::WaitQueue::kPatience);
    handle.unlock();
    handed_over = !handle.try_lock();
  }
  tried.count_down();
  if (!handed_over) handle.unlock();
  EXPECT_TRUE(handed_over);
}

}  // namespace
}  // namespace lockbench
