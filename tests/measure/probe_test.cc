// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/probe.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace lockbench {
namespace {

// Writes down how it was asked.
struct Asked {
  std::string calls;
  bool succeeds = true;

  void lock() { calls += "lock "; }
  bool try_lock() { return succeeds; }
  void unlock() { calls += "unlock "; }
};

struct AskedInTime : Asked {
  bool try_lock_for(Nanoseconds timeout) {
    calls += "for:" + std::to_string(timeout.count()) + " ";
    return succeeds;
  }
  bool try_lock_until(std::chrono::steady_clock::time_point) { return succeeds; }
};
static_assert(TimedLockable<AskedInTime> && !TimedLockable<Asked>);

// The gaps between operations that are due, the first included.
std::vector<std::uint64_t> gaps_of(Sampler& sampler, std::size_t count) {
  std::vector<std::uint64_t> gaps;
  for (std::uint64_t gap = 1; gaps.size() < count; ++gap) {
    if (!sampler.due()) continue;
    gaps.push_back(gap);
    gap = 0;
  }
  return gaps;
}

TEST(AcquireWithin, WaitsAsLongAsItTakesWithoutATimeout) {
  AskedInTime handle;
  EXPECT_TRUE(acquire_within(handle, Nanoseconds(0)));
  EXPECT_EQ(handle.calls, "lock ");
}

TEST(AcquireWithin, GivesUpWhenTheHandleDoes) {
  AskedInTime handle;
  EXPECT_TRUE(acquire_within(handle, Nanoseconds(7)));
  handle.succeeds = false;
  EXPECT_FALSE(acquire_within(handle, Nanoseconds(8)));
  EXPECT_EQ(handle.calls, "for:7 for:8 ");
}

TEST(UntimedProbe, LocksAndUnlocks) {
  Asked handle;
  UntimedProbe probe;
  EXPECT_TRUE(probe.acquire(handle, Nanoseconds(0)));
  probe.release(handle);
  EXPECT_EQ(handle.calls, "lock unlock ");
}

TEST(TimedProbe, RecordsOneWaitAndOneHold) {
  Asked handle;
  Histogram wait;
  Histogram hold;
  TimedProbe probe(wait, hold);
  EXPECT_TRUE(probe.acquire(handle, Nanoseconds(0)));
  EXPECT_EQ(wait.samples(), 1u);
  EXPECT_EQ(hold.samples(), 0u);
  probe.release(handle);
  EXPECT_EQ(wait.samples(), 1u);
  EXPECT_EQ(hold.samples(), 1u);
  EXPECT_EQ(handle.calls, "lock unlock ");
}

TEST(TimedProbe, AWaitThatWasGivenUpIsAWaitAndNoHold) {
  AskedInTime handle;
  handle.succeeds = false;
  Histogram wait;
  Histogram hold;
  EXPECT_FALSE(TimedProbe(wait, hold).acquire(handle, Nanoseconds(1)));
  EXPECT_EQ(wait.samples(), 1u);
  EXPECT_EQ(hold.samples(), 0u);
}

TEST(Sampler, OfEveryOneTakesAll) {
  Sampler sampler(1, 9);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(sampler.due());
}

TEST(Sampler, OfEveryZeroTakesNone) {
  Sampler sampler(0, 9);
  for (int i = 0; i < 100'000; ++i) ASSERT_FALSE(sampler.due());
}

// The bound on the mean is five standard deviations of a mean of uniform gaps.
TEST(Sampler, GapsReachFromOneToTwiceTheMean) {
  constexpr std::uint64_t kEvery = 8;
  constexpr std::size_t kCount = 40'000;
  Sampler sampler(kEvery, 9);
  std::vector<std::uint64_t> seen(2 * kEvery);
  double sum = 0;
  for (const std::uint64_t gap : gaps_of(sampler, kCount)) {
    ++seen.at(gap);
    sum += static_cast<double>(gap);
  }
  EXPECT_EQ(seen[0], 0u);
  const double expected = static_cast<double>(kCount) / (2 * kEvery - 1);
  for (std::uint64_t gap = 1; gap < 2 * kEvery; ++gap) {
    EXPECT_NEAR(static_cast<double>(seen[gap]), expected, 0.1 * expected) << gap;
  }
  EXPECT_NEAR(sum / kCount, kEvery, 0.11);
}

TEST(Sampler, ThreadsTakeDifferentOperations) {
  Sampler a(64, 1);
  Sampler b(64, 2);
  EXPECT_NE(gaps_of(a, 20), gaps_of(b, 20));
}

}  // namespace
}  // namespace lockbench
