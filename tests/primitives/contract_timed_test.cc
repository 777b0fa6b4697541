// SPDX-License-Identifier: Apache-2.0

// Timeouts: what is promised when time runs out, and when it does not.
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "tests/primitives/contract.h"
#include "tests/primitives/threads.h"

namespace lockbench {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;

class Timed : public ContractTest {
 protected:
  // True if a thread other than this one gets key `i` within `timeout`; it gives it back.
  template <class Timeout>
  bool gets_within(std::size_t i, Timeout timeout) {
    return elsewhere([&] {
      auto handle = handle_of(i);
      std::unique_lock guard(handle, timeout);
      return guard.owns_lock();
    });
  }
};
INSTANTIATE_TEST_SUITE_P(Of, Timed,
                         candidates_where([](const Candidate& c) { return c.promises.timed; }),
                         name_of);

TEST_P(Timed, AHeldKeyTimesOut) {
  auto holders = take_all(1);
  const platform::Time start = platform::now();
  EXPECT_FALSE(gets_within(1, milliseconds(1)));
  EXPECT_GE(platform::now() - start, milliseconds(1));
}

TEST_P(Timed, ATimeoutOfNothingTriesOnce) {
  EXPECT_TRUE(gets_within(1, milliseconds(0)));
  EXPECT_TRUE(gets_within(1, milliseconds(-5)));
  auto holders = take_all(1);
  EXPECT_FALSE(gets_within(1, milliseconds(0)));
  EXPECT_FALSE(gets_within(1, milliseconds(-5)));
}

TEST_P(Timed, ADeadlineInThePastTriesOnce) {
  const platform::Time past = platform::now() - milliseconds(1);
  EXPECT_TRUE(gets_within(1, past));
  auto holders = take_all(1);
  EXPECT_FALSE(gets_within(1, past));
}

TEST_P(Timed, DeadlinesOfOtherClocksAreKept) {
  const auto deadline = [] { return std::chrono::system_clock::now() + milliseconds(1); };
  EXPECT_TRUE(gets_within(1, deadline()));
  auto holders = take_all(1);
  EXPECT_FALSE(gets_within(1, deadline()));
}

TEST_P(Timed, ATimeoutLeavesNoTrace) {
  {
    auto holders = take_all(1);
    if (GetParam().counts_keys) {
      EXPECT_EQ(primitive_->keys_kept(), 1u);
    }
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(gets_within(1, microseconds(200)));
    if (GetParam().counts_keys) {
      EXPECT_EQ(primitive_->keys_kept(), 1u);
    }
    EXPECT_FALSE(is_free(1));
  }
  EXPECT_TRUE(is_free(1));
  auto again = take_all(1);
  if (GetParam().counts_keys) {
    again.let_go();
    EXPECT_EQ(primitive_->keys_kept(), 0u);
  }
}

TEST_P(Timed, AWaiterGetsWhatIsReleasedInTime) {
  for (const hours timeout : {hours(1), hours::max()}) {  // the second is too long for the clock
    auto holders = take_all(1);
    Latch started(1);
    bool got = false;
    JoiningThread waiter([&] {
      auto handle = handle_of(1);
      started.count_down();
      got = handle.try_lock_for(timeout);
      if (got) handle.unlock();
    });
    started.wait();
    holders.let_go();
    waiter.join();
    EXPECT_TRUE(got) << timeout.count();
  }
}

TEST_P(Timed, AWaiterThatGivesUpTakesNobodysTurn) {
  auto holders = take_all(1);
  Latch started(1);
  std::atomic<bool> got{false};
  JoiningThread patient([&] {
    started.count_down();
    auto handle = handle_of(1);
    std::scoped_lock guard(handle);
    got = true;
  });
  started.wait();
  EXPECT_FALSE(gets_within(1, microseconds(500)));
  holders.let_go();
  patient.join();
  EXPECT_TRUE(got);
}

// Timeouts of about the length of the holds, so that they meet releases, wake-ups and handovers.
TEST_P(Timed, TimeoutsThatRaceWithReleasesLoseNothing) {
  constexpr std::size_t kRounds = 150;
  std::array<std::atomic<int>, kLeases> counters{};
  std::atomic<std::size_t> done{0};
  run_threads(6, [&](std::size_t number) {
    for (std::size_t i = 0; i < kRounds; ++i) {
      auto handle = handle_of(1);
      std::unique_lock guard(handle, std::defer_lock);
      const bool got = number == 0 ? (guard.lock(), true)
                                   : guard.try_lock_for(microseconds((7 * i + 31 * number) % 200));
      if (!got) continue;
      std::atomic<int>& counter = counters[handle.lease()];
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
  EXPECT_TRUE(is_free(1));
  auto all = take_all(1);
  EXPECT_FALSE(is_free(1));
}

}  // namespace
}  // namespace lockbench
