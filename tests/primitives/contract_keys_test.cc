// SPDX-License-Identifier: Apache-2.0

// The keys of a primitive: which wait for each other, two at once, and what idle ones cost.
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "primitives/futex_mutex.h"
#include "primitives/internal/wait_queue.h"
#include "primitives/key.h"
#include "primitives/keyed_mutex.h"
#include "primitives/peers/striped_vector.h"
#include "primitives/striped_lock.h"
#include "tests/primitives/contract.h"
#include "tests/primitives/threads.h"

namespace lockbench {
namespace {

class KeyIndependence : public ContractTest {};
INSTANTIATE_TEST_SUITE_P(Of, KeyIndependence, candidates_where([](const Candidate& c) {
                           return c.promises.lock_per_key;
                         }),
                         name_of);

TEST_P(KeyIndependence, AHeldKeyKeepsNobodyFromAnother) {
  auto holders = take_all(0);
  EXPECT_FALSE(is_free(0));
  const bool all_free = elsewhere([&] {
    for (std::size_t i = 1; i < kShards; ++i) {
      auto other = handle_of(i);
      std::scoped_lock guard(other);
    }
    return true;
  });
  EXPECT_TRUE(all_free);
}

TEST_P(KeyIndependence, OneThreadHoldsManyKeysAtOnce) {
  auto a = handle_of(0);
  auto b = handle_of(1);
  auto c = handle_of(2);
  std::scoped_lock guards(a, b, c);
  EXPECT_TRUE(is_free(3));
}

TEST_P(KeyIndependence, StdLockTakesTwoHandlesInAnyOrder) {
  std::atomic<int> taken{0};
  run_threads(2, [&](std::size_t number) {
    for (int i = 0; i < 200; ++i) {
      auto first = handle_of(number);
      auto second = handle_of(1 - number);
      std::lock(first, second);
      std::scoped_lock guards(std::adopt_lock, first, second);
      taken.fetch_add(1);
    }
  });
  EXPECT_EQ(taken.load(), 400);
}

class PairOfKeys : public ContractTest {
 protected:
  auto both(std::size_t a, std::size_t b) { return primitive_->handle_both(a, b); }
};
INSTANTIATE_TEST_SUITE_P(Of, PairOfKeys,
                         candidates_where([](const Candidate& c) { return c.pairs; }), name_of);

class PairOfIndependentKeys : public PairOfKeys {};
INSTANTIATE_TEST_SUITE_P(Of, PairOfIndependentKeys, candidates_where([](const Candidate& c) {
                           return c.pairs && c.promises.lock_per_key;
                         }),
                         name_of);

TEST_P(PairOfKeys, OppositeOrdersDoNotDeadlock) {
  // Enough keys that pairs meet on one stripe too.
  constexpr std::size_t kKeys = 24;
  std::array<std::atomic<int>, kKeys> counters{};
  run_threads(2, [&](std::size_t number) {
    for (std::size_t i = 0; i < 20 * kKeys; ++i) {
      const std::size_t a = i % kKeys;
      const std::size_t b = (i / kKeys + a) % kKeys;
      auto pair = number == 0 ? both(a, b) : both(b, a);
      std::scoped_lock guard(pair);
      for (const std::size_t key : {a, b}) {
        // relaxed: the pair under test is what orders it.
        counters[key].store(counters[key].load(std::memory_order_relaxed) + 1,
                            std::memory_order_relaxed);
      }
    }
  });
  int sum = 0;
  for (const auto& counter : counters) sum += counter.load();
  EXPECT_EQ(sum, 2 * 2 * 20 * static_cast<int>(kKeys));
}

// Who waits for the lesser key does not have the greater one yet.
TEST_P(PairOfIndependentKeys, TheLesserIsTakenFirst) {
  for (const auto& [a, b] : {std::pair(1, 2), std::pair(2, 1)}) {
    Holders holder = take_all(1);
    Latch started(1);
    JoiningThread waiter([&] {
      auto pair = both(a, b);
      started.count_down();
      std::scoped_lock guard(pair);
    });
    started.wait();
    let_pass(2 * internal::WaitQueue::kPatience);
    EXPECT_TRUE(is_free(2));
    holder.let_go();
  }
}

TEST_P(PairOfKeys, BothKeysAreHeldAndBothComeBack) {
  {
    auto pair = both(1, 2);
    std::scoped_lock guard(pair);
    EXPECT_FALSE(is_free(1));
    EXPECT_FALSE(is_free(2));
  }
  EXPECT_TRUE(is_free(1));
  EXPECT_TRUE(is_free(2));
}

TEST_P(PairOfKeys, OneKeyTwiceIsTakenOnce) {
  {
    auto pair = both(1, 1);
    std::scoped_lock guard(pair);
    EXPECT_FALSE(is_free(1));
  }
  EXPECT_TRUE(is_free(1));
}

TEST_P(PairOfKeys, AFailedTryLeavesNeitherTaken) {
  for (const std::size_t held : {1, 2}) {
    auto holder = take_all(held);
    EXPECT_FALSE(elsewhere([&] { return both(1, 2).try_lock(); }));
    holder.let_go();
    EXPECT_TRUE(is_free(1));
    EXPECT_TRUE(is_free(2));
  }
  auto pair = both(1, 2);
  ASSERT_TRUE(pair.try_lock());
  pair.unlock();
}

class KeysKept : public ContractTest {};
INSTANTIATE_TEST_SUITE_P(Of, KeysKept,
                         candidates_where([](const Candidate& c) { return c.counts_keys; }),
                         name_of);

TEST_P(KeysKept, AHeldKeyIsKeptOnce) {
  EXPECT_EQ(primitive_->keys_kept(), 0u);
  auto held = handle_of(1);
  EXPECT_EQ(primitive_->keys_kept(), 0u);
  std::scoped_lock guard(held);
  EXPECT_EQ(primitive_->keys_kept(), 1u);
  EXPECT_FALSE(is_free(1));
  EXPECT_EQ(primitive_->keys_kept(), 1u);
}

TEST_P(KeysKept, IdleKeysCostWhatIsPromised) {
  const std::size_t before = primitive_->lock_bytes();
  for (std::size_t i = 0; i < kManyKeys; ++i) {
    auto handle = handle_of(i);
    std::scoped_lock guard(handle);
  }
  if (GetParam().keeps_idle_keys) {
    EXPECT_EQ(primitive_->keys_kept(), kManyKeys);
    EXPECT_GT(primitive_->lock_bytes(), before + kManyKeys * sizeof(std::mutex));
  } else {
    EXPECT_EQ(primitive_->keys_kept(), 0u);
    // One key at a time: no container had a reason to grow beyond its first few buckets.
    EXPECT_LE(primitive_->lock_bytes(), before + (1U << 16));
  }
}

TEST_P(KeysKept, ContendedKeysAreReclaimedByTheLastToLeave) {
  run_threads(4, [&](std::size_t number) {
    for (std::size_t i = 0; i < 400; ++i) {
      auto handle = handle_of((i + number) % 5);
      std::scoped_lock guard(handle);
    }
  });
  EXPECT_EQ(primitive_->keys_kept(), GetParam().keeps_idle_keys ? 5u : 0u);
}

class StringKeys : public ContractTest {};
INSTANTIATE_TEST_SUITE_P(Of, StringKeys,
                         candidates_where([](const Candidate& c) { return c.string_keys; }),
                         name_of);

TEST_P(StringKeys, EqualCharactersAreOneKeyWhereverTheyLie) {
  const std::string here(characters_of(7));
  const std::string there(characters_of(7));
  auto held = primitive_->handle(std::string_view(here));
  std::scoped_lock guard(held);
  EXPECT_FALSE(elsewhere([&] { return primitive_->handle(std::string_view(there)).try_lock(); }));
}

// The first holder's characters are gone while the second, who waited on them, is inside.
TEST_P(StringKeys, AKeyOutlivesTheCharactersOfItsFirstHolder) {
  Latch waiting(1);
  Latch inside(1);
  Latch leave(1);
  JoiningThread second;
  {
    const auto first_characters = std::make_unique<std::string>(characters_of(7));
    auto first = primitive_->handle(std::string_view(*first_characters));
    std::scoped_lock guard(first);
    second = JoiningThread([&] {
      const std::string characters(characters_of(7));
      auto handle = primitive_->handle(std::string_view(characters));
      waiting.count_down();
      std::scoped_lock second_guard(handle);
      inside.count_down();
      leave.wait();
    });
    waiting.wait();
    let_pass(internal::WaitQueue::kPatience);
  }
  inside.wait();
  EXPECT_FALSE(is_free(7));
  leave.count_down();
  second.join();
  EXPECT_TRUE(is_free(7));
}

TEST_P(StringKeys, TheEmptyStringIsAKey) {
  auto held = primitive_->handle(std::string_view());
  std::scoped_lock guard(held);
  EXPECT_FALSE(elsewhere([&] { return primitive_->handle(std::string_view("")).try_lock(); }));
}

TEST(StripedLock, CaseIsIgnoredWhenAsked) {
  StripedLock<FutexMutex, CaseInsensitiveHash> striped(4096);
  EXPECT_EQ(striped.stripe_of("Ann@Example.org"), striped.stripe_of("ann@example.ORG"));
}

}  // namespace
}  // namespace lockbench
