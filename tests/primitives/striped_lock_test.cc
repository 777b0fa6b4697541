// SPDX-License-Identifier: Apache-2.0

// StripedLock: any number of keys at once.
#include "primitives/striped_lock.h"

#include <cstdint>
#include <mutex>
#include <set>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/primitives/contract.h"

namespace lockbench {
namespace {

TEST(StripedLock, AllKeysAreHeldAndAllComeBack) {
  StripedLock<> striped(4096);
  {
    auto all = striped.handle_all(std::uint64_t{1}, "ann", composite("tenant", 7));
    std::scoped_lock guard(all);
    EXPECT_EQ(all.size(), 3u);
    EXPECT_FALSE(is_free(striped, 1));
    EXPECT_FALSE(elsewhere([&] { return striped.handle("ann").try_lock(); }));
    EXPECT_FALSE(elsewhere([&] { return striped.handle(composite("tenant", 7)).try_lock(); }));
    EXPECT_TRUE(is_free(striped, 2));
  }
  EXPECT_TRUE(is_free(striped, 1));
}

TEST(StripedLock, KeysThatShareAStripeTakeItOnce) {
  StripedLock<> striped(1);
  auto all = striped.handle_all(std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1});
  std::scoped_lock guard(all);
  EXPECT_EQ(all.size(), 1u);
  EXPECT_FALSE(is_free(striped, 3));
}

TEST(StripedLock, AFailedTryOfManyLeavesNoneTaken) {
  StripedLock<> striped(64);
  std::vector<std::uint64_t> keys;
  std::set<std::size_t> stripes;
  for (std::uint64_t key = 0; key < 200; ++key) {
    keys.push_back(key);
    stripes.insert(striped.stripe_of(key));
  }
  auto all = striped.handle_all(std::span<const std::uint64_t>(keys));
  EXPECT_EQ(all.size(), stripes.size());
  {
    auto held = striped.handle(keys.back());
    std::scoped_lock guard(held);
    EXPECT_FALSE(elsewhere([&] { return all.try_lock(); }));
  }
  ASSERT_TRUE(all.try_lock());
  EXPECT_FALSE(is_free(striped, keys.front()));
  all.unlock();
  for (const std::uint64_t key : keys) EXPECT_TRUE(is_free(striped, key));
}

// A base lock that cannot be had at its third lock().
struct Fragile {
  void lock() {
    if (--left == 0) throw std::runtime_error("no more");
    ++held;
  }
  bool try_lock() { return false; }
  void unlock() { --held; }

  static inline int left = 0;
  static inline int held = 0;
};

TEST(StripedLock, AnExceptionHalfWayGivesBackWhatWasTaken) {
  Fragile::left = 3;
  StripedLock<Fragile> striped(4096);
  auto all = striped.handle_all(std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3});
  EXPECT_THROW(all.lock(), std::runtime_error);
  EXPECT_EQ(Fragile::held, 0);
}

TEST(StripedLock, NeedsAStripe) {
  EXPECT_THROW(StripedLock<>(0), std::invalid_argument);
}

// As std::hash of an integer.
struct IdentityHash {
  std::uint64_t operator()(std::uint64_t key) const noexcept { return key; }
  std::uint64_t operator()(std::string_view key) const noexcept { return key.size(); }
};

TEST(StripedLock, AHashThatHandsKeysOnUsesAllStripes) {
  const StripedLock<FutexMutex, IdentityHash> striped(64);
  std::set<std::size_t> used;
  for (std::uint64_t key = 0; key < 1000; ++key) used.insert(striped.stripe_of(key));
  EXPECT_EQ(used.size(), 64u);
}

}  // namespace
}  // namespace lockbench
