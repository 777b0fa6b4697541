// SPDX-License-Identifier: Apache-2.0

// KeyedLimited and its fence: what becomes of a holder who is late.
#include "primitives/keyed_limited.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "primitives/fence.h"
#include "tests/primitives/contract.h"

namespace lockbench {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

static_assert(KeyedLock<KeyedLimited<>>);
static_assert(KeyedLock<KeyedLimited<std::string_view>, std::string_view>);

// Another thread takes key 1 and gives it back; returns the token it had.
std::uint64_t taken_elsewhere(KeyedLimited<>& keyed) {
  std::uint64_t token = 0;
  std::jthread([&] {
    auto handle = keyed.handle(1);
    std::scoped_lock guard(handle);
    token = handle.token();
  }).join();
  return token;
}

TEST(KeyedLimited, ALateHolderLosesTheKeyToAWaiterAndIsTold) {
  KeyedLimited<> keyed(milliseconds(1));
  auto late = keyed.handle(1);
  late.lock();
  EXPECT_GT(taken_elsewhere(keyed), late.token());
  EXPECT_TRUE(late.expired());
  EXPECT_FALSE(late.unlock());
  EXPECT_EQ(keyed.keys_kept(), 0u);
}

TEST(KeyedLimited, AHolderInTimeKeepsTheKeyAndIsToldSo) {
  KeyedLimited<> keyed(hours(1));
  auto held = keyed.handle(1);
  held.lock();
  EXPECT_FALSE(elsewhere([&] { return keyed.handle(1).try_lock_for(milliseconds(2)); }));
  EXPECT_FALSE(held.expired());
  EXPECT_TRUE(held.unlock());
}

TEST(KeyedLimited, AHoldThatNobodyWaitsForLastsOn) {
  KeyedLimited<> keyed(milliseconds(1));
  auto held = keyed.handle(1);
  held.lock();
  let_pass(held.deadline() - platform::now() + milliseconds(2));
  EXPECT_FALSE(held.expired());
  EXPECT_TRUE(held.unlock());
}

TEST(KeyedLimited, ATryTakesTheKeyFromWhoeverIsLate) {
  KeyedLimited<> keyed(milliseconds(1));
  auto late = keyed.handle(1);
  late.lock();
  let_pass(late.deadline() - platform::now());
  EXPECT_TRUE(elsewhere([&] {
    auto handle = keyed.handle(1);
    return handle.try_lock() && handle.unlock();
  }));
  EXPECT_FALSE(late.unlock());
}

TEST(KeyedLimited, NobodyLosesAKeyBeforeItsDeadline) {
  KeyedLimited<> keyed(milliseconds(2));
  for (int i = 0; i < 20; ++i) {
    auto held = keyed.handle(1);
    held.lock();
    const platform::Time deadline = held.deadline();
    std::jthread([&] {
      auto next = keyed.handle(1);
      next.lock();
      EXPECT_GE(platform::now(), deadline);
      next.unlock();
    }).join();
    held.unlock();
  }
}

TEST(KeyedLimited, OtherKeysHoldersAreLeftAlone) {
  KeyedLimited<> keyed(milliseconds(1), 1);  // one bucket
  auto late = keyed.handle(1);
  auto other = keyed.handle(2);
  late.lock();
  other.lock();
  taken_elsewhere(keyed);
  EXPECT_TRUE(late.expired());
  EXPECT_FALSE(other.expired());
  EXPECT_FALSE(late.unlock());
  EXPECT_TRUE(other.unlock());
}

// Each of many waiters is late in its turn, and the key goes through all of them.
TEST(KeyedLimited, TheKeyGoesFromOneLateHolderToTheNext) {
  constexpr std::size_t kThreads = 8;
  KeyedLimited<> keyed(milliseconds(1));
  std::latch all_were_inside(kThreads);
  std::mutex tokens_mutex;
  std::vector<std::uint64_t> tokens;
  run_threads(kThreads, [&](std::size_t) {
    auto handle = keyed.handle(1);
    std::scoped_lock guard(handle);
    {
      std::scoped_lock tokens_guard(tokens_mutex);
      tokens.push_back(handle.token());
    }
    all_were_inside.arrive_and_wait();
  });
  ASSERT_EQ(tokens.size(), kThreads);
  std::sort(tokens.begin(), tokens.end());
  EXPECT_EQ(std::adjacent_find(tokens.begin(), tokens.end()), tokens.end());
  EXPECT_EQ(keyed.keys_kept(), 0u);
}

TEST(KeyedLimited, TokensOfAKeyGrowThoughNothingIsKeptOfIt) {
  KeyedLimited<> keyed;
  std::uint64_t last = 0;
  for (int i = 0; i < 100; ++i) {
    auto handle = keyed.handle(1);
    std::scoped_lock guard(handle);
    EXPECT_GT(handle.token(), last);
    last = handle.token();
  }
  EXPECT_EQ(keyed.keys_kept(), 0u);
}

TEST(KeyedLimited, AHandleThatWasLateCanBeUsedAgain) {
  KeyedLimited<> keyed(milliseconds(1));
  auto handle = keyed.handle(1);
  handle.lock();
  taken_elsewhere(keyed);
  EXPECT_FALSE(handle.unlock());
  handle.lock();
  EXPECT_FALSE(handle.expired());
  EXPECT_TRUE(handle.unlock());
}

// Limits about as long as the holds, so that ends meet unlocks, time-outs and wake-ups.
TEST(KeyedLimited, EndsThatRaceWithUnlocksLoseNoAcceptedWrite) {
  constexpr std::size_t kRounds = 150;
  KeyedLimited<> keyed(milliseconds(1));
  FencedStore<int> store;
  std::atomic<int> accepted{0};
  run_threads(6, [&](std::size_t number) {
    for (std::size_t i = 0; i < kRounds; ++i) {
      auto handle = keyed.handle(1);
      std::unique_lock guard(handle, std::defer_lock);
      const auto timeout = std::chrono::microseconds((7 * i + 31 * number) % 3000);
      const bool got = number == 0 ? (guard.lock(), true) : guard.try_lock_for(timeout);
      if (!got) continue;
      const std::optional<int> seen = store.read(handle.token());
      if (i % 16 == 0) let_pass(milliseconds(1));
      if (seen && store.write(handle.token(), *seen + 1)) accepted.fetch_add(1);
    }
  });
  auto last = keyed.handle(1);
  std::scoped_lock guard(last);
  EXPECT_EQ(store.read(last.token()), accepted.load());
}

TEST(FencedStore, AWriteIsRefusedOnceALaterHolderHasRead) {
  FencedStore<int> store(10);
  const std::optional<int> early = store.read(1);
  EXPECT_EQ(store.read(2), 10);
  EXPECT_FALSE(store.write(1, *early + 1));
  EXPECT_TRUE(store.write(2, 20));
  EXPECT_EQ(store.read(3), 20);
}

TEST(FencedStore, ALateReadIsRefusedToo) {
  FencedStore<int> store;
  EXPECT_TRUE(store.write(2, 5));
  EXPECT_EQ(store.read(1), std::nullopt);
  EXPECT_EQ(store.read(2), 5);
}

// Late, but nobody has built on the old value yet: the next holder will see this one.
TEST(FencedStore, ALateWriteBeforeTheNextHolderHasReadIsNoHarm) {
  FencedStore<int> store;
  EXPECT_EQ(store.read(1), 0);
  EXPECT_TRUE(store.write(1, 7));
  EXPECT_EQ(store.read(2), 7);
}

TEST(KeyedLimited, NeedsALimit) {
  EXPECT_THROW(KeyedLimited<>(milliseconds(0)), std::invalid_argument);
  EXPECT_THROW(KeyedLimited<>(milliseconds(-1)), std::invalid_argument);
}

// The longest limits that can be written down mean "for ever".
TEST(KeyedLimited, ALimitThatIsTooLongForTheClockNeverPasses) {
  const auto stays_held = [](const auto& limit) {
    KeyedLimited<> keyed(limit);
    auto holder = keyed.handle(1);
    std::scoped_lock hold(holder);
    bool taken = true;
    std::thread([&] {
      auto other = keyed.handle(1);
      taken = other.try_lock_for(milliseconds(5));
      if (taken) other.unlock();
    }).join();
    return !taken;
  };
  EXPECT_TRUE(stays_held(platform::Duration::max()));
  EXPECT_TRUE(stays_held(std::chrono::hours::max()));
  EXPECT_TRUE(stays_held(std::chrono::duration<float>(1e30f)));
}

TEST(KeyedLimited, AHandleThatHoldsItsKeyIsNotLockedAgain) {
  if (internal::kChecksUse) GTEST_SKIP() << "a debug build ends the process: misuse_test.cc";
  KeyedLimited<> keyed(milliseconds(1));
  auto handle = keyed.handle(1);
  handle.lock();
  EXPECT_THROW(handle.lock(), std::system_error);
  EXPECT_FALSE(handle.try_lock());
  let_pass(handle.deadline() - platform::now() + milliseconds(1));
  EXPECT_THROW(handle.lock(), std::system_error);
  EXPECT_FALSE(handle.try_lock());
  EXPECT_TRUE(handle.unlock());
  EXPECT_EQ(keyed.keys_kept(), 0u);
}

}  // namespace
}  // namespace lockbench
