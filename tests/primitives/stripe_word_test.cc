// SPDX-License-Identifier: Apache-2.0

// StripeWord: several keys at once, and nobody starved by those who want fewer.
#include "primitives/stripe_word.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/primitives/contract.h"

namespace lockbench {
namespace {

static_assert(PairLock<StripeWord> && PairLock<StripeWord, std::string_view>);

// A key for each stripe.
std::vector<std::uint64_t> key_of_each_stripe(const StripeWord& word) {
  std::vector<std::uint64_t> keys(word.stripes());
  std::vector<bool> known(word.stripes());
  std::size_t missing = word.stripes();
  for (std::uint64_t key = 0; missing != 0; ++key) {
    const std::size_t stripe = word.stripe_of(key);
    if (known[stripe]) continue;
    known[stripe] = true;
    keys[stripe] = key;
    --missing;
  }
  return keys;
}

TEST(StripeWord, AllKeysAreHeldAndAllComeBack) {
  StripeWord word;
  const std::vector<std::uint64_t> keys = key_of_each_stripe(word);
  {
    auto some = word.handle(keys[0], keys[31], keys[62]);
    std::scoped_lock guard(some);
    for (const std::size_t held : {0, 31, 62}) EXPECT_FALSE(is_free(word, keys[held]));
    for (const std::size_t other : {1, 30, 61}) EXPECT_TRUE(is_free(word, keys[other]));
  }
  for (const std::uint64_t key : keys) EXPECT_TRUE(is_free(word, key));
}

TEST(StripeWord, KeysOfEveryKindGoTogether) {
  StripeWord word;
  auto all = word.handle_all(std::uint64_t{1}, std::string_view("ann"), composite("tenant", 7));
  std::scoped_lock guard(all);
  EXPECT_FALSE(is_free(word, 1));
  EXPECT_FALSE(elsewhere([&] { return word.handle(std::string_view("ann")).try_lock(); }));
  EXPECT_FALSE(elsewhere([&] { return word.handle(composite("tenant", 7)).try_lock(); }));
}

TEST(StripeWord, NoKeysAtAllAreTakenAtOnce) {
  StripeWord word(1);
  auto nothing = word.handle_all(std::span<const std::uint64_t>());
  std::scoped_lock guard(nothing);
  EXPECT_TRUE(is_free(word, 1));
}

// Nothing is taken of what cannot be had whole.
TEST(StripeWord, APartIsNeverHeld) {
  StripeWord word;
  const std::vector<std::uint64_t> keys = key_of_each_stripe(word);
  auto held = word.handle(keys[5]);
  std::scoped_lock guard(held);
  EXPECT_FALSE(elsewhere([&] { return word.handle(keys[4], keys[5], keys[6]).try_lock(); }));
  EXPECT_FALSE(elsewhere([&] {
    return word.handle(keys[4], keys[5], keys[6]).try_lock_for(std::chrono::microseconds(100));
  }));
  EXPECT_TRUE(is_free(word, keys[4]));
  EXPECT_TRUE(is_free(word, keys[6]));
}

// Two keys come free in one step, and only the first who waits is told: it tells the other.
TEST(StripeWord, KeysThatComeBackTogetherServeAllWhoWait) {
  for (int round = 0; round < 50; ++round) {
    StripeWord word(8);
    const std::vector<std::uint64_t> keys = key_of_each_stripe(word);
    auto both = word.handle(keys[0], keys[1]);
    both.lock();
    std::latch both_inside(2);
    std::vector<std::jthread> waiters;
    for (const std::size_t i : {0, 1}) {
      waiters.emplace_back([&, i] {
        auto handle = word.handle(keys[i]);
        std::scoped_lock guard(handle);
        both_inside.arrive_and_wait();
      });
    }
    // Longer than they spin; should they still, the round shows nothing and others do.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    both.unlock();
  }
}

// This thread holds one key, and another thread waits for that and a second one.
class StripeWordKeeps : public ::testing::Test {
 protected:
  StripeWordKeeps() { held_.lock(); }

  // Takes and gives back the second key until it is kept for who waits, or nobody waits any more.
  void use_second_key_until_kept() {
    auto handle = word_.handle(keys_[1]);
    while (waiting_.load() && handle.try_lock()) {
      handle.unlock();
      std::this_thread::yield();
    }
  }

  StripeWord word_{8};
  const std::vector<std::uint64_t> keys_ = key_of_each_stripe(word_);
  StripeWord::Handle held_{word_.handle(keys_[0])};
  std::atomic<bool> waiting_{true};
};

// A stripe that comes free is theirs, though the rest is still held: no stream of others can starve
// one that wants many keys.
TEST_F(StripeWordKeeps, WhatComesFreeForOneThatHasWaitedForLong) {
  std::jthread waiter([&] {
    auto both = word_.handle(keys_[0], keys_[1]);
    std::scoped_lock guard(both);
    waiting_.store(false);
    EXPECT_FALSE(is_free(word_, keys_[1]));
  });
  use_second_key_until_kept();
  EXPECT_TRUE(waiting_.load()) << "its other key is held by this thread";
  held_.unlock();
}

TEST_F(StripeWordKeeps, NothingForOneThatGaveUp) {
  std::jthread waiter([&] {
    EXPECT_FALSE(word_.handle(keys_[0], keys_[1]).try_lock_for(std::chrono::milliseconds(200)));
    waiting_.store(false);
  });
  use_second_key_until_kept();
  waiter.join();
  EXPECT_TRUE(is_free(word_, keys_[1]));
  EXPECT_FALSE(is_free(word_, keys_[0]));
  held_.unlock();
  EXPECT_TRUE(is_free(word_, keys_[0]));
}

TEST(StripeWord, NeedsOneToSixtyThreeStripes) {
  EXPECT_THROW(StripeWord(0), std::invalid_argument);
  EXPECT_THROW(StripeWord(64), std::invalid_argument);
}

}  // namespace
}  // namespace lockbench
