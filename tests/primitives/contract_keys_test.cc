// What keys mean to a primitive: which wait for each other, two at once, and what idle ones cost.
#include <array>
#include <atomic>
#include <concepts>
#include <latch>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

#include "primitives/internal/wait_queue.h"
#include "tests/primitives/contract.h"
#include "tests/primitives/primitive_list.h"

namespace lockbench {
namespace {

struct LocksPerKey {
  template <class S>
  static constexpr bool kFor = S::Primitive::kPromises.lock_per_key;
};

template <class S>
class KeyIndependence : public ContractTest<S> {};
TYPED_TEST_SUITE(KeyIndependence, Where<LocksPerKey>, NameOfSubject);

TYPED_TEST(KeyIndependence, AHeldKeyKeepsNobodyFromAnother) {
  auto holders = this->take_all(0);
  EXPECT_FALSE(this->is_free(0));
  const bool all_free = elsewhere([&] {
    for (std::size_t i = 1; i < TypeParam::kShards; ++i) {
      auto other = this->handle(i);
      std::scoped_lock guard(other);
    }
    return true;
  });
  EXPECT_TRUE(all_free);
}

TYPED_TEST(KeyIndependence, OneThreadHoldsManyKeysAtOnce) {
  auto a = this->handle(0);
  auto b = this->handle(1);
  auto c = this->handle(2);
  std::scoped_lock guards(a, b, c);
  EXPECT_TRUE(this->is_free(3));
}

TYPED_TEST(KeyIndependence, StdLockTakesTwoHandlesInAnyOrder) {
  std::atomic<int> taken{0};
  run_threads(2, [&](std::size_t number) {
    for (int i = 0; i < 200; ++i) {
      auto first = this->handle(number);
      auto second = this->handle(1 - number);
      std::lock(first, second);
      std::scoped_lock guards(std::adopt_lock, first, second);
      taken.fetch_add(1);
    }
  });
  EXPECT_EQ(taken.load(), 400);
}

struct TakesPairs {
  template <class S>
  static constexpr bool kFor = PairLock<typename S::Primitive, typename S::KeyType>;
};

template <class S>
class PairOfKeys : public ContractTest<S> {
 protected:
  auto both(std::size_t a, std::size_t b) {
    return this->primitive_->handle_both(this->key(a), this->key(b));
  }
};
TYPED_TEST_SUITE(PairOfKeys, Where<TakesPairs>, NameOfSubject);

TYPED_TEST(PairOfKeys, OppositeOrdersDoNotDeadlock) {
  // Enough keys that pairs meet on one stripe too.
  constexpr std::size_t kKeys = 24;
  std::array<std::atomic<int>, kKeys> counters{};
  run_threads(2, [&](std::size_t number) {
    for (std::size_t i = 0; i < 20 * kKeys; ++i) {
      const std::size_t a = i % kKeys;
      const std::size_t b = (i / kKeys + a) % kKeys;
      auto pair = number == 0 ? this->both(a, b) : this->both(b, a);
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

TYPED_TEST(PairOfKeys, BothKeysAreHeldAndBothComeBack) {
  {
    auto pair = this->both(1, 2);
    std::scoped_lock guard(pair);
    EXPECT_FALSE(this->is_free(1));
    EXPECT_FALSE(this->is_free(2));
  }
  EXPECT_TRUE(this->is_free(1));
  EXPECT_TRUE(this->is_free(2));
}

TYPED_TEST(PairOfKeys, OneKeyTwiceIsTakenOnce) {
  {
    auto pair = this->both(1, 1);
    std::scoped_lock guard(pair);
    EXPECT_FALSE(this->is_free(1));
  }
  EXPECT_TRUE(this->is_free(1));
}

TYPED_TEST(PairOfKeys, AFailedTryLeavesNeitherTaken) {
  for (const std::size_t held : {1, 2}) {
    auto holder = this->take_all(held);
    EXPECT_FALSE(elsewhere([&] { return this->both(1, 2).try_lock(); }));
    holder.let_go();
    EXPECT_TRUE(this->is_free(1));
    EXPECT_TRUE(this->is_free(2));
  }
  auto pair = this->both(1, 2);
  ASSERT_TRUE(pair.try_lock());
  pair.unlock();
}

struct KeepsStock {
  template <class S>
  static constexpr bool kFor = S::kCountsKeys;
};

template <class S>
class KeysKept : public ContractTest<S> {};
TYPED_TEST_SUITE(KeysKept, Where<KeepsStock>, NameOfSubject);

TYPED_TEST(KeysKept, AHeldKeyIsKeptOnce) {
  EXPECT_EQ(this->primitive_->keys_kept(), 0u);
  auto held = this->handle(1);
  EXPECT_EQ(this->primitive_->keys_kept(), 0u);
  std::scoped_lock guard(held);
  EXPECT_EQ(this->primitive_->keys_kept(), 1u);
  EXPECT_FALSE(this->is_free(1));
  EXPECT_EQ(this->primitive_->keys_kept(), 1u);
}

TYPED_TEST(KeysKept, IdleKeysCostWhatIsPromised) {
  const std::size_t before = this->primitive_->lock_bytes();
  for (std::size_t i = 0; i < kManyKeys; ++i) {
    auto handle = this->handle(i);
    std::scoped_lock guard(handle);
  }
  if (TypeParam::kIsLeaky) {
    EXPECT_EQ(this->primitive_->keys_kept(), kManyKeys);
    EXPECT_GT(this->primitive_->lock_bytes(), before + kManyKeys * sizeof(std::mutex));
  } else {
    EXPECT_EQ(this->primitive_->keys_kept(), 0u);
    // One key at a time: no container had a reason to grow beyond its first few buckets.
    EXPECT_LE(this->primitive_->lock_bytes(), before + 64 * 1024);
  }
}

TYPED_TEST(KeysKept, ContendedKeysAreReclaimedByTheLastToLeave) {
  run_threads(4, [&](std::size_t number) {
    for (std::size_t i = 0; i < 400; ++i) {
      auto handle = this->handle((i + number) % 5);
      std::scoped_lock guard(handle);
    }
  });
  EXPECT_EQ(this->primitive_->keys_kept(), TypeParam::kIsLeaky ? 5u : 0u);
}

TYPED_TEST(KeysKept, AHeldKeyIsCountedInBytes) {
  const std::size_t before = this->primitive_->lock_bytes();
  auto handle = this->handle(1);
  std::scoped_lock guard(handle);
  EXPECT_GE(this->primitive_->lock_bytes(), before);
}

TEST(KeyedMutex, KeepsNotAByteForIdleKeys) {
  KeyedMutex<> keyed;
  const std::size_t before = keyed.lock_bytes();
  for (std::uint64_t key = 0; key < kManyKeys; ++key) {
    auto handle = keyed.handle(key);
    std::scoped_lock guard(handle);
  }
  EXPECT_EQ(keyed.lock_bytes(), before);
}

struct HasStringKeys {
  template <class S>
  static constexpr bool kFor = std::same_as<typename S::KeyType, std::string_view>;
};

template <class S>
class StringKeys : public ContractTest<S> {};
TYPED_TEST_SUITE(StringKeys, Where<HasStringKeys>, NameOfSubject);

TYPED_TEST(StringKeys, EqualCharactersAreOneKeyWhereverTheyLie) {
  const std::string here(this->key(7));
  const std::string there(this->key(7));
  auto held = this->primitive_->handle(std::string_view(here));
  std::scoped_lock guard(held);
  EXPECT_FALSE(
      elsewhere([&] { return this->primitive_->handle(std::string_view(there)).try_lock(); }));
}

// The first holder's characters are gone while the second, who waited on them, is inside.
TYPED_TEST(StringKeys, AKeyOutlivesTheCharactersOfItsFirstHolder) {
  std::latch waiting(1);
  std::latch inside(1);
  std::latch leave(1);
  std::jthread second;
  {
    const auto first_characters = std::make_unique<std::string>(this->key(7));
    auto first = this->primitive_->handle(std::string_view(*first_characters));
    std::scoped_lock guard(first);
    second = std::jthread([&] {
      const std::string characters(this->key(7));
      auto handle = this->primitive_->handle(std::string_view(characters));
      waiting.count_down();
      std::scoped_lock second_guard(handle);
      inside.count_down();
      leave.wait();
    });
    waiting.wait();
    let_pass(internal::WaitQueue::kPatience);
  }
  inside.wait();
  EXPECT_FALSE(this->is_free(7));
  leave.count_down();
  second.join();
  EXPECT_TRUE(this->is_free(7));
}

TYPED_TEST(StringKeys, TheEmptyStringIsAKey) {
  auto held = this->primitive_->handle(std::string_view());
  std::scoped_lock guard(held);
  EXPECT_FALSE(
      elsewhere([&] { return this->primitive_->handle(std::string_view("")).try_lock(); }));
}

TEST(StripedLock, TwoKeysOfOneStripeExcludeEachOther) {
  StripedLock<> striped(1);
  auto held = striped.handle(std::uint64_t{1});
  std::scoped_lock guard(held);
  EXPECT_FALSE(elsewhere([&] { return striped.handle(std::uint64_t{2}).try_lock(); }));
}

TEST(StripedLock, TwoKeysOfOneStripeCanBeTakenTogether) {
  StripedLock<> striped(1);
  auto pair = striped.handle_both(std::uint64_t{1}, std::uint64_t{2});
  std::scoped_lock guard(pair);
  EXPECT_FALSE(elsewhere([&] { return striped.handle(std::uint64_t{2}).try_lock(); }));
}

TEST(StripedLock, CaseIsIgnoredWhenAsked) {
  StripedLock<FutexMutex, CaseInsensitiveHash> striped(4096);
  EXPECT_EQ(striped.stripe_of("Ann@Example.org"), striped.stripe_of("ann@example.ORG"));
}

TEST(StripedLock, CompositeKeysAreTakenLikeAnyOther) {
  StripedLock<> striped(64);
  auto held = striped.handle(composite("tenant", std::uint64_t{7}));
  std::scoped_lock guard(held);
  EXPECT_FALSE(
      elsewhere([&] { return striped.handle(composite("tenant", std::uint64_t{7})).try_lock(); }));
}

TEST(StripedVector, TwoKeysOfOneStripeCanBeTakenTogether) {
  StripedVector striped(1);
  auto pair = striped.handle_both(std::uint64_t{1}, std::uint64_t{2});
  std::scoped_lock guard(pair);
  EXPECT_FALSE(elsewhere([&] { return striped.handle(std::uint64_t{2}).try_lock(); }));
}

}  // namespace
}  // namespace lockbench
