// SPDX-License-Identifier: Apache-2.0

// KeyedMutex: what the contract tests do not ask: buckets that hold many keys at once.
#include "primitives/keyed_mutex.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/primitives/contract.h"

namespace lockbench {
namespace {

// Every key of one bucket, and no two of one list but by chance.
struct OneBucketHash {
  std::uint64_t operator()(std::uint64_t key) const noexcept { return KeyHash{}(key) << 24; }
};

template <class Hash>
void many_keys_of_one_bucket(std::uint64_t keys) {
  KeyedMutex<std::uint64_t, Hash> locks(1);
  const std::size_t bytes_before = locks.lock_bytes();
  using Handle = HandleOf<KeyedMutex<std::uint64_t, Hash>>;
  std::vector<std::unique_ptr<Handle>> held;
  for (std::uint64_t key = 0; key < keys; ++key) {
    held.emplace_back(new Handle(locks.handle(key)))->lock();
  }
  EXPECT_EQ(locks.keys_kept(), keys);
  EXPECT_TRUE(elsewhere([&] {
    for (std::uint64_t key = 0; key < keys; ++key) {
      if (locks.handle(key).try_lock()) return false;
    }
    auto free_one = locks.handle(keys);
    const std::scoped_lock guard(free_one);
    return true;
  }));
  // In an order that is neither that of coming nor its reverse.
  for (std::uint64_t i = 0; i < keys; ++i) held[i * 7 % keys]->unlock();
  EXPECT_EQ(locks.keys_kept(), 0U);
  EXPECT_EQ(locks.lock_bytes(), bytes_before);
}

TEST(KeyedMutex, ABucketHoldsAnyNumberOfKeys) {
  many_keys_of_one_bucket<OneBucketHash>(10'000);
}

struct OneHash {
  std::uint64_t operator()(std::uint64_t) const noexcept { return 42; }
};

TEST(KeyedMutex, KeysOfOneHashAreToldApart) {
  many_keys_of_one_bucket<OneHash>(500);
}

TEST(KeyedMutex, AFailedTryLeavesTheKeyToItsHolder) {
  KeyedMutex<> locks(1);
  auto held = locks.handle(std::uint64_t{1});
  for (int i = 0; i < 1000; ++i) {
    held.lock();
    EXPECT_FALSE(elsewhere([&] { return locks.handle(std::uint64_t{1}).try_lock(); }));
    EXPECT_EQ(locks.keys_kept(), 1U);
    held.unlock();
  }
  EXPECT_EQ(locks.keys_kept(), 0U);
}

TEST(KeyedMutex, AHandleIsAllThatAKeyTakes) {
  EXPECT_LE(sizeof(HandleOf<KeyedMutex<std::string_view>, std::string_view>), 64U);
  EXPECT_LE(sizeof(HandleOf<KeyedMutex<>>), 64U);
}

// Threads that need the bucket's table, its word and its queue at once.
TEST(KeyedMutex, KeysThatComeAndGoInOneBucketLoseNoUpdate) {
  constexpr std::uint64_t kKeys = 6;
  KeyedMutex<std::uint64_t, OneHash> locks(1);
  std::vector<int> counters(kKeys);
  run_threads(6, [&](std::size_t number) {
    for (std::uint64_t i = 0; i < 3000; ++i) {
      const std::uint64_t key = (i * 5 + number) % kKeys;
      auto both = locks.handle_both(key, (key + 1) % kKeys);
      const std::scoped_lock guard(both);
      ++counters[key];
      ++counters[(key + 1) % kKeys];
    }
  });
  int sum = 0;
  for (const int counter : counters) sum += counter;
  EXPECT_EQ(sum, 2 * 6 * 3000);
}

}  // namespace
}  // namespace lockbench
