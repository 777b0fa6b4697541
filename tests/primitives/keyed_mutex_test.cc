// SPDX-License-Identifier: Apache-2.0

// KeyedMutex: what the contract tests do not ask: buckets that hold many keys at once.
#include "primitives/keyed_mutex.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/primitives/contract.h"

namespace lockbench {
namespace {

// Every key of one bucket, and no two of one list but by chance.
struct OneBucketHash {
  std::uint64_t operator()(std::uint64_t key) const noexcept { return KeyHash{}(key) << 24; }
};

constexpr std::size_t kMostOfARow = 4096;

// Holds so many keys at once, and no others.
template <class Locks>
void hold_and_leave(Locks& locks, std::uint64_t keys) {
  using Handle = HandleOf<Locks>;
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
}

template <class Hash>
void many_keys_of_one_bucket(std::uint64_t keys) {
  KeyedMutex<std::uint64_t, Hash> locks(1);
  const std::size_t bytes_before = locks.lock_bytes();
  hold_and_leave(locks, keys);
  // A row stays, if so many had need of it, and nothing else; the next time it is there.
  const std::size_t bytes_after = locks.lock_bytes();
  EXPECT_LE(bytes_after - bytes_before, kMostOfARow);
  hold_and_leave(locks, keys);
  EXPECT_EQ(locks.lock_bytes(), bytes_after);
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

TEST(KeyedMutex, ABucketWithFewKeysKeepsNothing) {
  KeyedMutex<std::uint64_t, OneBucketHash> locks(1);
  const std::size_t bytes_before = locks.lock_bytes();
  hold_and_leave(locks, 31);
  EXPECT_EQ(locks.lock_bytes(), bytes_before);
}

// Its bucket makes room as soon as a second key is held.
template <class Hash>
using Roomy = KeyedMutex<std::uint64_t, Hash, internal::KernelBarriers, 1>;

bool held_elsewhere(Roomy<OneBucketHash>& locks, std::uint64_t key) {
  return elsewhere([&] {
    auto handle = locks.handle(key);
    const std::unique_lock attempt(handle, std::try_to_lock);
    return !attempt.owns_lock();
  });
}

TEST(KeyedMutex, AHandleFindsItsKeyWhereverTheBucketHasMadeRoomSince) {
  Roomy<OneBucketHash> locks(1);
  auto early = locks.handle(std::uint64_t{1});
  auto idle = locks.handle(std::uint64_t{2});
  early.lock();
  const std::size_t bytes_before = locks.lock_bytes();
  auto third = locks.handle(std::uint64_t{3});
  third.lock();
  EXPECT_GT(locks.lock_bytes(), bytes_before);
  EXPECT_TRUE(held_elsewhere(locks, 1));
  early.unlock();
  EXPECT_FALSE(held_elsewhere(locks, 1));
  // Two that knew only the first cell, now free.
  early.lock();
  idle.lock();
  EXPECT_TRUE(held_elsewhere(locks, 1));
  EXPECT_TRUE(held_elsewhere(locks, 2));
  EXPECT_TRUE(held_elsewhere(locks, 3));
  EXPECT_EQ(locks.keys_kept(), 3U);
  // Once more by the same handle, which held its key apart.
  third.unlock();
  third.lock();
  EXPECT_TRUE(held_elsewhere(locks, 3));
  third.unlock();
  EXPECT_FALSE(held_elsewhere(locks, 3));
  early.unlock();
  EXPECT_FALSE(held_elsewhere(locks, 1));
  EXPECT_TRUE(held_elsewhere(locks, 2));
  idle.unlock();
  EXPECT_EQ(locks.keys_kept(), 0U);
}

TEST(KeyedMutex, WhoWaitedBeforeTheBucketMadeRoomIsWoken) {
  Roomy<OneBucketHash> locks(1);
  auto held = locks.handle(std::uint64_t{1});
  held.lock();
  std::jthread waiter([&] {
    auto handle = locks.handle(std::uint64_t{1});
    const std::scoped_lock guard(handle);
  });
  let_pass(std::chrono::milliseconds(2));
  auto other = locks.handle(std::uint64_t{2});
  other.lock();
  held.unlock();
  waiter.join();
  other.unlock();
  EXPECT_EQ(locks.keys_kept(), 0U);
}

using AnyCaseLocks = KeyedMutex<std::string_view, CaseInsensitiveHash>;

TEST(KeyedMutex, KeysThatTheHashTakesForEqualExcludeEachOther) {
  AnyCaseLocks locks;
  auto held = locks.handle("Ann@Example.org");
  const std::scoped_lock guard(held);
  EXPECT_FALSE(elsewhere([&] { return locks.handle("ann@example.ORG").try_lock(); }));
  EXPECT_EQ(locks.keys_kept(), 1U);
}

TEST(KeyedMutex, BothOfTwoKeysThatTheHashTakesForEqualAreTakenOnce) {
  AnyCaseLocks locks;
  auto both = locks.handle_both("ANN", "ann");
  const std::scoped_lock guard(both);
  EXPECT_EQ(locks.keys_kept(), 1U);
}

// In the order of the bytes "BOB" comes before "ann", and "bob" after it.
TEST(KeyedMutex, BothOfTwoKeysAreTakenInAnOrderThatKnowsWhichAreEqual) {
  AnyCaseLocks locks;
  int counter = 0;
  run_threads(2, [&](std::size_t number) {
    for (int i = 0; i < 5000; ++i) {
      auto both = number == 0 ? locks.handle_both("BOB", "ann") : locks.handle_both("ann", "bob");
      const std::scoped_lock guard(both);
      ++counter;
    }
  });
  EXPECT_EQ(counter, 2 * 5000);
}

template <class Locks, class K>
concept MakesHandleOf = requires(Locks& locks, K&& key) {
  locks.handle(std::forward<K>(key));
};
template <class Locks, class K>
concept MakesPairOf = requires(Locks& locks, K&& key, std::string_view other) {
  locks.handle_both(std::forward<K>(key), other);
};

// A handle views its key.
template <class Locks>
constexpr bool kRefusesTemporaries =
    MakesHandleOf<Locks, const char (&)[4]>&& MakesHandleOf<Locks, std::string_view>&&
        MakesHandleOf<Locks, std::string&>&& MakesHandleOf<Locks, const std::string&> &&
    !MakesHandleOf<Locks, std::string> && !MakesHandleOf<Locks, const std::string>;
static_assert(kRefusesTemporaries<KeyedMutex<std::string_view>>);
static_assert(MakesPairOf<KeyedMutex<std::string_view>, std::string&>);
static_assert(!MakesPairOf<KeyedMutex<std::string_view>, std::string>);
static_assert(MakesHandleOf<KeyedMutex<>, int>);

TEST(KeyedMutex, AHandleIsAllThatAKeyTakes) {
  EXPECT_LE(sizeof(HandleOf<KeyedMutex<std::string_view>, std::string_view>), 64U);
  EXPECT_LE(sizeof(HandleOf<KeyedMutex<>>), 64U);
}

// Threads that need the bucket's cells, its table and its queue at once.
template <class Locks>
void come_and_go(Locks& locks) {
  constexpr std::uint64_t kKeys = 6;
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
  EXPECT_EQ(locks.keys_kept(), 0U);
}

TEST(KeyedMutex, KeysThatComeAndGoInOneBucketLoseNoUpdate) {
  KeyedMutex<std::uint64_t, OneHash> locks(1);
  come_and_go(locks);
}

TEST(KeyedMutex, NorDoTheyWhereItMakesRoom) {
  for (int i = 0; i < 20; ++i) {
    Roomy<OneBucketHash> locks(1);
    come_and_go(locks);
  }
  Roomy<OneHash> alike(1);
  come_and_go(alike);
}

// Wherever the key is held: in the first cell, in the overflow table, and beside both.
TEST(KeyedMutex, AHandleThatHoldsItsKeyIsNotLockedAgain) {
  if (internal::kChecksUse) GTEST_SKIP() << "a debug build ends the process: misuse_test.cc";
  KeyedMutex<std::uint64_t, KeyHash, internal::KernelBarriers, 2> locks(1);
  std::vector<std::unique_ptr<HandleOf<decltype(locks)>>> handles;
  for (std::uint64_t key = 0; key < 8; ++key) {
    handles.emplace_back(new HandleOf<decltype(locks)>(locks.handle(key)))->lock();
  }
  for (auto& handle : handles) {
    EXPECT_FALSE(handle->try_lock());
    EXPECT_THROW(handle->lock(), std::system_error);
    EXPECT_THROW(handle->try_lock_for(std::chrono::milliseconds(1)), std::system_error);
  }
  EXPECT_EQ(locks.keys_kept(), 8U);
  for (std::uint64_t key = 0; key < 8; ++key) {
    EXPECT_FALSE(elsewhere([&] { return locks.handle(key).try_lock(); }));
    handles[key]->unlock();
    EXPECT_TRUE(elsewhere([&] {
      auto handle = locks.handle(key);
      const std::scoped_lock guard(handle);
      return true;
    }));
  }
  EXPECT_EQ(locks.keys_kept(), 0U);
}

// As under HWAddressSanitizer, with memory tagging, or far up with 57-bit addresses.
TEST(KeyedMutex, AHandleAtATaggedAddressIsRefused) {
  using Node = internal::KeyBucket<std::uint64_t, KeyHash, internal::KernelBarriers, 32>::Node;
  EXPECT_THROW(Node::require_address(std::uintptr_t{1} << 48), std::system_error);
  EXPECT_THROW(Node::require_address(std::uintptr_t{0x2A} << 56 | 4096), std::system_error);
  Node::require_address((std::uintptr_t{1} << 48) - 64);
}

}  // namespace
}  // namespace lockbench
