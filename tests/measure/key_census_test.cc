// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/key_census.h"

#include <gtest/gtest.h>

#include "primitives/keyed_mutex.h"
#include "primitives/peers/keyed_table.h"

namespace lockbench {
namespace {

template <class P, Key K>
constexpr double kHandleBytes = sizeof(HandleOf<P, K>);

// A census holds a thousand keys at once, and ThreadSanitizer gives up on a thread that holds 64
// mutexes; there is one thread here, so that nothing escapes it.
#ifndef __SANITIZE_THREAD__

// A thousand keys, for which it has room one by one.
constexpr std::size_t kRoomForAll = 1 << 16;

TEST(KeyCensus, AKeyedMutexSpendsItsHandleAloneAndKeepsNothing) {
  KeyedMutex<> primitive(kRoomForAll);
  const KeyBytes bytes = count_key_bytes<KeyedMutex<>, std::uint64_t>(primitive);
  EXPECT_EQ(bytes.live, (kHandleBytes<KeyedMutex<>, std::uint64_t>));
  EXPECT_EQ(bytes.idle, 0);
}

TEST(KeyCensus, KeysThatShareABucketPayForTheirSlotInItsTable) {
  KeyedMutex<> primitive(1);
  const KeyBytes bytes = count_key_bytes<KeyedMutex<>, std::uint64_t>(primitive);
  EXPECT_GT(bytes.live, (kHandleBytes<KeyedMutex<>, std::uint64_t>)+sizeof(void*));
  EXPECT_LE(bytes.live, (kHandleBytes<KeyedMutex<>, std::uint64_t>)+21);
  // The row that the bucket has made for a thousand at once stays.
  EXPECT_LE(bytes.idle, 4096.0 / 1000);
}

TEST(KeyCensus, StringKeysAreCountedLikeNumbers) {
  using Strings = KeyedMutex<std::string_view>;
  Strings primitive;
  const KeyBytes bytes = count_key_bytes<Strings, std::string_view>(primitive);
  EXPECT_GE(bytes.live, (kHandleBytes<Strings, std::string_view>));
  EXPECT_LE(bytes.live, 64);
  EXPECT_EQ(bytes.idle, 0);
}

TEST(KeyCensus, ATableKeepsALockForALiveKeyAndHardlyMoreThanItsBucketForAnIdleOne) {
  using Table = KeyedTable<std::uint64_t>;
  Table primitive;
  const KeyBytes bytes = count_key_bytes<Table, std::uint64_t>(primitive);
  EXPECT_GT(bytes.live, (kHandleBytes<Table, std::uint64_t>)+sizeof(std::mutex));
  EXPECT_LT(bytes.idle, sizeof(std::mutex));
  EXPECT_EQ(primitive.keys_kept(), 0u);
}

TEST(KeyCensus, ATableThatForgetsNothingPaysForIdleKeysAsForLiveOnes) {
  using Leaky = KeyedLeaky<std::uint64_t>;
  Leaky primitive;
  const KeyBytes bytes = count_key_bytes<Leaky, std::uint64_t>(primitive);
  EXPECT_GT(bytes.idle, sizeof(std::mutex));
  EXPECT_EQ(bytes.live, bytes.idle + (kHandleBytes<Leaky, std::uint64_t>));
}

TEST(KeyCensus, KeysThatWereThereBeforeAreNotCounted) {
  using Leaky = KeyedLeaky<std::uint64_t>;
  Leaky primitive;
  for (std::uint64_t key = 0; key < 10'000; ++key) {
    auto handle = primitive.handle(key);
    handle.lock();
    handle.unlock();
  }
  const std::size_t before = primitive.lock_bytes();
  const KeyBytes bytes = count_key_bytes<Leaky, std::uint64_t>(primitive);
  EXPECT_EQ(bytes.idle, static_cast<double>(primitive.lock_bytes() - before) / 1000);
}

#endif

}  // namespace
}  // namespace lockbench
