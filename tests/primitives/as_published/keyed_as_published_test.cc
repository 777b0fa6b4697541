// SPDX-License-Identifier: Apache-2.0

// The published table of locks: that it works as its author shows, and that each of its faults is
// there.
#include "primitives/as_published/keyed_as_published.h"

#include <latch>
#include <mutex>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

#include "tests/primitives/contract.h"

namespace lockbench {
namespace {

using std::chrono::milliseconds;

static_assert(KeyedLock<KeyedAsPublished<>>);
static_assert(KeyedLock<KeyedAsPublished<std::string_view>, std::string_view>);

constexpr milliseconds kNoWatchdog{0};

TEST(KeyedAsPublished, AHolderInTimeKeepsItsKeyUntilItUnlocks) {
  KeyedAsPublished<> keyed;
  {
    auto held = keyed.handle(1);
    std::scoped_lock guard(held);
    EXPECT_FALSE(is_free(keyed, 1));
    EXPECT_TRUE(is_free(keyed, 2));
  }
  EXPECT_TRUE(is_free(keyed, 1));
}

// F1: a table of nothing but idle keys is as large as ever.
TEST(KeyedAsPublished, KeepsEveryKeyForGood) {
  KeyedAsPublished<> keyed(kNoWatchdog);
  const std::size_t empty = keyed.lock_bytes();
  for (std::uint64_t key = 0; key < 1000; ++key) {
    auto handle = keyed.handle(key);
    std::scoped_lock guard(handle);
    EXPECT_EQ(keyed.count_of(key), 1);
  }
  keyed.know(1000);
  for (const std::uint64_t idle : {7, 1000}) EXPECT_EQ(keyed.count_of(idle), 0);
  EXPECT_EQ(keyed.keys_kept(), 1001u);
  EXPECT_GT(keyed.lock_bytes(), empty + 1000 * sizeof(std::mutex));
}

// F4: the second thread is inside while the first still is.
TEST(KeyedAsPublished, TheWatchdogLetsANextOneInBesideALateHolder) {
  // Long enough for the holder to note that it is one: the watchdog releases nobody else.
  KeyedAsPublished<> keyed(milliseconds(50));
  std::latch late_is_inside(1);
  std::latch next_was_inside(1);
  std::jthread late([&] {
    auto handle = keyed.handle(1);
    std::scoped_lock guard(handle);
    late_is_inside.count_down();
    next_was_inside.wait();
  });
  late_is_inside.wait();
  {
    auto handle = keyed.handle(1);
    std::scoped_lock guard(handle);
    next_was_inside.count_down();
  }
}

// F6
TEST(KeyedAsPublished, TwoWorkersKeysCanBeOne) {
  KeyedAsPublished<std::string_view> keyed(kNoWatchdog);
  auto held = keyed.handle("1_2", "job_");
  std::scoped_lock guard(held);
  EXPECT_FALSE(is_free(keyed, "2", "job_1_"));
  EXPECT_TRUE(is_free(keyed, "2", "job_2_"));
}

// F7
TEST(KeyedAsPublished, AWorkerWithoutANameNeverUnlocks) {
  KeyedAsPublished<std::string_view> keyed(kNoWatchdog);
  {
    auto handle = keyed.handle("");
    std::scoped_lock guard(handle);
  }
  EXPECT_FALSE(is_free(keyed, ""));
}

TEST(KeyedAsPublished, AFailedTryIsNotCounted) {
  KeyedAsPublished<> keyed(kNoWatchdog);
  auto held = keyed.handle(1);
  std::scoped_lock guard(held);
  EXPECT_FALSE(is_free(keyed, 1));
  EXPECT_EQ(keyed.count_of(1), 1);
}

}  // namespace
}  // namespace lockbench
