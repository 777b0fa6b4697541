// Timeouts: what is promised when time runs out, and when it does not.
#include <array>
#include <atomic>
#include <chrono>
#include <latch>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "tests/primitives/contract.h"
#include "tests/primitives/primitive_list.h"

namespace lockbench {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;

struct TakesTime {
  template <class S>
  static constexpr bool kFor = S::Primitive::kPromises.timed;
};

template <class S>
class Timed : public ContractTest<S> {
 protected:
  // Whether a thread other than this one gets key `i` within `timeout`; it gives it back.
  template <class Timeout>
  bool gets_within(std::size_t i, Timeout timeout) {
    return elsewhere([&] {
      auto handle = this->handle(i);
      std::unique_lock guard(handle, timeout);
      return guard.owns_lock();
    });
  }
};
TYPED_TEST_SUITE(Timed, Where<TakesTime>, NameOfSubject);

TYPED_TEST(Timed, AHeldKeyTimesOut) {
  auto holders = this->take_all(1);
  const platform::Time start = platform::now();
  EXPECT_FALSE(this->gets_within(1, milliseconds(1)));
  EXPECT_GE(platform::now() - start, milliseconds(1));
}

TYPED_TEST(Timed, ATimeoutOfNothingTriesOnce) {
  EXPECT_TRUE(this->gets_within(1, milliseconds(0)));
  EXPECT_TRUE(this->gets_within(1, milliseconds(-5)));
  auto holders = this->take_all(1);
  EXPECT_FALSE(this->gets_within(1, milliseconds(0)));
  EXPECT_FALSE(this->gets_within(1, milliseconds(-5)));
}

TYPED_TEST(Timed, ADeadlineInThePastTriesOnce) {
  const platform::Time past = platform::now() - milliseconds(1);
  EXPECT_TRUE(this->gets_within(1, past));
  auto holders = this->take_all(1);
  EXPECT_FALSE(this->gets_within(1, past));
}

TYPED_TEST(Timed, DeadlinesOfOtherClocksAreKept) {
  const auto deadline = [] { return std::chrono::system_clock::now() + milliseconds(1); };
  EXPECT_TRUE(this->gets_within(1, deadline()));
  auto holders = this->take_all(1);
  EXPECT_FALSE(this->gets_within(1, deadline()));
}

TYPED_TEST(Timed, ATimeoutLeavesNoTrace) {
  {
    auto holders = this->take_all(1);
    if constexpr (TypeParam::kCountsKeys) {
      EXPECT_EQ(this->primitive_->keys_kept(), 1u);
    }
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(this->gets_within(1, microseconds(200)));
    if constexpr (TypeParam::kCountsKeys) {
      EXPECT_EQ(this->primitive_->keys_kept(), 1u);
    }
    EXPECT_FALSE(this->is_free(1));
  }
  EXPECT_TRUE(this->is_free(1));
  auto again = this->take_all(1);
  if constexpr (TypeParam::kCountsKeys) {
    again.let_go();
    EXPECT_EQ(this->primitive_->keys_kept(), 0u);
  }
}

TYPED_TEST(Timed, AWaiterGetsWhatIsReleasedInTime) {
  auto holders = this->take_all(1);
  std::latch started(1);
  bool got = false;
  std::jthread waiter([&] {
    auto handle = this->handle(1);
    started.count_down();
    got = handle.try_lock_for(hours(1));
    if (got) handle.unlock();
  });
  started.wait();
  holders.let_go();
  waiter.join();
  EXPECT_TRUE(got);
}

TYPED_TEST(Timed, ATimeoutTooLongForTheClockIsAsGoodAsNone) {
  auto holders = this->take_all(1);
  std::latch started(1);
  bool got = false;
  std::jthread waiter([&] {
    auto handle = this->handle(1);
    started.count_down();
    got = handle.try_lock_for(hours::max());
    if (got) handle.unlock();
  });
  started.wait();
  holders.let_go();
  waiter.join();
  EXPECT_TRUE(got);
}

TYPED_TEST(Timed, AWaiterThatGivesUpTakesNobodysTurn) {
  auto holders = this->take_all(1);
  std::latch started(1);
  std::atomic<bool> got{false};
  std::jthread patient([&] {
    started.count_down();
    auto handle = this->handle(1);
    std::scoped_lock guard(handle);
    got = true;
  });
  started.wait();
  EXPECT_FALSE(this->gets_within(1, microseconds(500)));
  holders.let_go();
  patient.join();
  EXPECT_TRUE(got);
}

// Timeouts of about the length of the holds, so that they meet releases, wake-ups and handovers.
TYPED_TEST(Timed, TimeoutsThatRaceWithReleasesLoseNothing) {
  constexpr int kRounds = 150;
  std::array<std::atomic<int>, TypeParam::kLeases> counters{};
  std::atomic<int> done{0};
  run_threads(6, [&](std::size_t number) {
    for (int i = 0; i < kRounds; ++i) {
      auto handle = this->handle(1);
      std::unique_lock guard(handle, std::defer_lock);
      const bool got = number == 0 ? (guard.lock(), true)
                                   : guard.try_lock_for(microseconds((i * 7 + number * 31) % 200));
      if (!got) continue;
      std::atomic<int>& counter = counters[lease_of(handle)];
      // relaxed: the lock under test is what orders it.
      const int seen = counter.load(std::memory_order_relaxed);
      if (i % 8 == 0) let_pass(microseconds(50));
      counter.store(seen + 1, std::memory_order_relaxed);
      done.fetch_add(1);
    }
  });
  int sum = 0;
  for (const auto& counter : counters) sum += counter.load();
  EXPECT_EQ(sum, done.load());
  EXPECT_GE(done.load(), kRounds);
  EXPECT_TRUE(this->is_free(1));
  auto all = this->take_all(1);
  EXPECT_FALSE(this->is_free(1));
}

}  // namespace
}  // namespace lockbench
