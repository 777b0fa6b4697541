// SPDX-License-Identifier: Apache-2.0

#include "primitives/key_guard.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <latch>
#include <list>
#include <mutex>
#include <ranges>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "primitives/keyed_limited.h"
#include "primitives/keyed_mutex.h"
#include "primitives/keyed_semaphore.h"
#include "primitives/keyed_shared_mutex.h"
#include "primitives/lease_pool.h"
#include "primitives/striped_lock.h"
#include "tests/primitives/contract.h"

namespace lockbench {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using ::testing::UnorderedElementsAre;

template <class P, class K>
bool is_free(P& locks, K key) {
  return elsewhere([&] { return locks.try_lock(key).owns_lock(); });
}

template <class P>
class GuardTest : public ::testing::Test {
 protected:
  P locks_;
};

using Locks = ::testing::Types<KeyedMutex<>, KeyedLimited<>, StripedLock<>, KeyedSharedMutex<>>;
TYPED_TEST_SUITE(GuardTest, Locks);

TYPED_TEST(GuardTest, AGuardHoldsItsKeyToTheEndOfTheScope) {
  {
    auto guard = this->locks_.lock(7);
    EXPECT_TRUE(guard.owns_lock());
    EXPECT_FALSE(is_free(this->locks_, 7));
  }
  EXPECT_TRUE(is_free(this->locks_, 7));
}

TYPED_TEST(GuardTest, AGuardCanBeUnlockedBefore) {
  auto guard = this->locks_.lock(7);
  guard.unlock();
  EXPECT_FALSE(guard.owns_lock());
  EXPECT_TRUE(is_free(this->locks_, 7));
}

TYPED_TEST(GuardTest, AttemptsHoldNothingWhileAnotherThreadDoes) {
  auto guard = this->locks_.lock(7);
  EXPECT_FALSE(elsewhere([&] { return static_cast<bool>(this->locks_.try_lock(7)); }));
  EXPECT_FALSE(
      elsewhere([&] { return this->locks_.try_lock_for(7, milliseconds(1)).owns_lock(); }));
  guard.unlock();
  EXPECT_TRUE(elsewhere([&] { return this->locks_.try_lock_for(7, hours(1)).owns_lock(); }));
}

TYPED_TEST(GuardTest, SeveralKeysAreHeldAtOnce) {
  {
    auto guard = this->locks_.lock_all({5, 3, 5});
    EXPECT_FALSE(is_free(this->locks_, 3));
    EXPECT_FALSE(is_free(this->locks_, 5));
  }
  EXPECT_TRUE(is_free(this->locks_, 3));
  EXPECT_TRUE(is_free(this->locks_, 5));
}

TYPED_TEST(GuardTest, NoKeysAreHeldAtOnceToo) {
  auto guard = this->locks_.lock_all(std::span<const std::uint64_t>());
  EXPECT_TRUE(guard.owns_lock());
}

TYPED_TEST(GuardTest, SeveralKeysComeFromAnyRange) {
  const std::vector<std::uint64_t> vector{1, 2};
  const std::array<std::uint64_t, 2> array{1, 2};
  const std::list<std::uint64_t> list{1, 2};
  const auto half = [](std::uint64_t key) { return key / 2; };
  EXPECT_TRUE(this->locks_.lock_all(vector).owns_lock());
  EXPECT_TRUE(this->locks_.lock_all(std::span(array)).owns_lock());
  EXPECT_TRUE(this->locks_.lock_all(list).owns_lock());
  EXPECT_TRUE(this->locks_.lock_all(vector | std::views::transform(half)).owns_lock());
}

TYPED_TEST(GuardTest, AnAttemptAtSeveralKeysHoldsAllOrNone) {
  auto other = this->locks_.lock(5);
  EXPECT_FALSE(elsewhere([&] { return this->locks_.try_lock_all({4, 5, 6}).owns_lock(); }));
  EXPECT_FALSE(elsewhere([&] {
    return this->locks_.try_lock_all_for({4, 5, 6}, milliseconds(1)).owns_lock();
  }));
  EXPECT_TRUE(is_free(this->locks_, 4));
  EXPECT_TRUE(is_free(this->locks_, 6));
  other.unlock();
  EXPECT_TRUE(elsewhere([&] {
    return this->locks_.try_lock_all_for({4, 5, 6}, hours(1)).owns_lock();
  }));
}

// Opposite orders: without one order of all threads they deadlock.
TYPED_TEST(GuardTest, ThreadsThatTakeTheSameKeysInAnyOrderDoNotDeadlock) {
  constexpr int kRounds = 2000;
  std::vector<int> counts(4);
  const auto work = [&](std::vector<std::uint64_t> keys) {
    for (int i = 0; i < kRounds; ++i) {
      std::ranges::rotate(keys, keys.begin() + 1);
      auto guard = this->locks_.lock_all(keys);
      for (const std::uint64_t key : keys) ++counts[key];
    }
  };
  {
    std::jthread first(work, std::vector<std::uint64_t>{0, 1, 2, 3});
    std::jthread second(work, std::vector<std::uint64_t>{3, 2, 1, 0});
  }
  EXPECT_EQ(counts, std::vector<int>(4, 2 * kRounds));
}

// With both ways to take several keys.
TYPED_TEST(GuardTest, PairsAndSetsOfKeysFollowOneOrder) {
  if constexpr (PairLock<TypeParam>) {
    constexpr int kRounds = 2000;
    int count = 0;
    const auto set = [&] {
      for (int i = 0; i < kRounds; ++i) {
        auto guard = this->locks_.lock_all({9, 1});
        ++count;
      }
    };
    {
      std::jthread other(set);
      for (int i = 0; i < kRounds; ++i) {
        auto both = this->locks_.handle_both(9, 1);
        std::scoped_lock guard(both);
        ++count;
      }
    }
    EXPECT_EQ(count, 2 * kRounds);
  }
}

// One bucket, so that keys meet there; with room for one, and for more.
template <class P>
struct OneBucket : P {
  OneBucket() : P(1) {}
};
template <class K>
struct OneBucket<KeyedLimited<K>> : KeyedLimited<K> {
  OneBucket() : KeyedLimited<K>(hours(1), 1) {}
};
using Split = KeyedMutex<std::uint64_t, KeyHash, internal::KernelBarriers, 1>;
using NoBarriers = KeyedMutex<std::uint64_t, KeyHash, internal::NoBarriers>;

template <class P>
class QueriesTest : public ::testing::Test {
 protected:
  std::vector<std::uint64_t> held() {
    std::vector<std::uint64_t> keys;
    locks_.for_each_held([&](std::uint64_t key) { keys.push_back(key); });
    return keys;
  }

  OneBucket<P> locks_;
};
using Queried =
    ::testing::Types<KeyedMutex<>, Split, NoBarriers, KeyedLimited<>, KeyedSharedMutex<>>;
TYPED_TEST_SUITE(QueriesTest, Queried);

TYPED_TEST(QueriesTest, KeysThatAreHeldAreShown) {
  EXPECT_TRUE(this->held().empty());
  EXPECT_FALSE(this->locks_.is_locked(1));
  {
    auto one = this->locks_.lock(1);
    auto two = this->locks_.lock(2);
    auto three = this->locks_.lock(3);
    EXPECT_THAT(this->held(), UnorderedElementsAre(1, 2, 3));
    EXPECT_TRUE(this->locks_.is_locked(1));
    EXPECT_TRUE(this->locks_.is_locked(3));
    EXPECT_FALSE(this->locks_.is_locked(4));
    two.unlock();
    EXPECT_THAT(this->held(), UnorderedElementsAre(1, 3));
  }
  EXPECT_TRUE(this->held().empty());
  EXPECT_FALSE(this->locks_.is_locked(1));
}

TYPED_TEST(QueriesTest, WaitersAreCountedForTheirKey) {
  auto guard = this->locks_.lock(1);
  auto other = this->locks_.lock(2);
  std::jthread waiter([&] { auto waits = this->locks_.lock(1); });
  while (this->locks_.waiters(1) != 1) std::this_thread::yield();
  EXPECT_EQ(this->locks_.waiters(2), 0U);
  guard.unlock();
  waiter.join();
  EXPECT_EQ(this->locks_.waiters(1), 0U);
}

TYPED_TEST(QueriesTest, LooksDoNotDisturbTheLock) {
  constexpr int kRounds = 3000;
  std::array<int, 3> counts{};
  std::atomic<bool> done = false;
  std::jthread looks([&] {
    while (!done) {
      this->locks_.for_each_held([](std::uint64_t key) { EXPECT_LT(key, 3U); });
      (void)this->locks_.is_locked(1);
      (void)this->locks_.waiters(1);
    }
  });
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&] {
        for (std::uint64_t i = 0; i < kRounds; ++i) {
          auto guard = this->locks_.lock(i % 3);
          ++counts[i % 3];
        }
      });
    }
  }
  done = true;
  EXPECT_EQ(counts, (std::array<int, 3>{kRounds, kRounds, kRounds}));
}

TYPED_TEST(QueriesTest, AWaitEndsWhenAStopIsRequested) {
  auto guard = this->locks_.lock(1);
  std::stop_source stop;
  bool held = true;
  std::jthread waiter([&] { held = this->locks_.lock(1, stop.get_token()).owns_lock(); });
  while (this->locks_.waiters(1) != 1) std::this_thread::yield();
  stop.request_stop();
  waiter.join();
  EXPECT_FALSE(held);
  EXPECT_EQ(this->locks_.waiters(1), 0U);
  guard.unlock();
  // The token ends waits; it does not keep a thread from a key that is free.
  EXPECT_TRUE(this->locks_.lock(1, stop.get_token()).owns_lock());
}

TYPED_TEST(QueriesTest, AWaitBeforeWhichAStopWasRequestedEndsAtOnce) {
  auto guard = this->locks_.lock(1);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(elsewhere([&] { return this->locks_.lock(1, stop.get_token()).owns_lock(); }));
}

TYPED_TEST(QueriesTest, AWaitForSeveralKeysEndsWhenAStopIsRequestedAndHoldsNone) {
  const std::array<std::uint64_t, 3> keys{1, 2, 3};
  const auto in_braces = [&](const std::stop_token& stop) {
    return this->locks_.lock_all({1, 2, 3}, stop).owns_lock();
  };
  const auto in_a_range = [&](const std::stop_token& stop) {
    return this->locks_.lock_all(keys, stop).owns_lock();
  };
  using TakeAll = std::function<bool(std::stop_token)>;
  for (const TakeAll& take_all : {TakeAll(in_braces), TakeAll(in_a_range)}) {
    std::stop_source stop;
    auto guard = this->locks_.lock(2);
    bool held = true;
    std::jthread waiter([&] { held = take_all(stop.get_token()); });
    while (this->locks_.waiters(2) != 1) std::this_thread::yield();
    stop.request_stop();
    waiter.join();
    EXPECT_FALSE(held);
    EXPECT_THAT(this->held(), UnorderedElementsAre(2));
    guard.unlock();
    EXPECT_TRUE(take_all(stop.get_token()));  // what is free is taken
  }
}

// A wake-up that reaches a thread which stops must not be lost for the next one.
TYPED_TEST(QueriesTest, StopsAndReleasesAtOnceLoseNoWakeUp) {
  constexpr int kRounds = 60;  // each starts threads
  int inside = 0;
  for (int i = 0; i < kRounds; ++i) {
    std::stop_source stop;
    auto guard = this->locks_.lock(1);
    std::latch start(3);
    std::jthread stopped([&] {
      start.arrive_and_wait();
      if (auto mine = this->locks_.lock(1, stop.get_token())) ++inside;
    });
    std::jthread waiter([&] {
      start.arrive_and_wait();
      auto mine = this->locks_.lock(1);
      ++inside;
    });
    start.arrive_and_wait();
    if (i % 2 == 0) stop.request_stop();
    guard.unlock();
    stop.request_stop();
  }
  EXPECT_GE(inside, kRounds);
  EXPECT_FALSE(this->locks_.is_locked(1));
}

template <class P, class Given>
concept LocksOne = requires(P& locks, Given&& key) {
  locks.lock(std::forward<Given>(key));
};
template <class P, class Given>
concept LocksAll = requires(P& locks, Given&& keys) {
  locks.lock_all(std::forward<Given>(keys));
};

TEST(KeyGuard, ATemporaryStringIsRefusedWhereItIsViewed) {
  using Views = KeyedMutex<std::string_view>;
  static_assert(!LocksOne<Views, std::string>);
  static_assert(LocksOne<Views, const std::string&>);
  static_assert(LocksOne<Views, const char*>);
  static_assert(LocksOne<KeyedMutex<std::string>, std::string>);
  static_assert(!LocksAll<Views, std::vector<std::string>>);
  static_assert(LocksAll<Views, std::vector<std::string>&>);
  static_assert(LocksAll<Views, std::vector<std::string_view>>);
  static_assert(!LocksAll<KeyedMutex<>, const std::string&>);
}

template <class P, class A, class B>
concept LocksBoth = requires(P& locks, A a, B b) {
  locks.handle_both(a, b);
};

TEST(KeyGuard, ANumberWithAFractionIsNoKeyOfAPrimitiveForWholeNumbers) {
  static_assert(LocksOne<KeyedMutex<>, int>);
  static_assert(!LocksOne<KeyedMutex<>, double>);
  static_assert(!LocksOne<KeyedMutex<int>, float>);
  static_assert(LocksOne<KeyedMutex<double>, double>);
  static_assert(!LocksOne<KeyedSharedMutex<>, double>);
  static_assert(!LocksOne<KeyedSemaphore<>, double>);
  static_assert(!LocksOne<KeyedLimited<>, double>);
  static_assert(!LocksOne<StripedLock<>, double>);
  static_assert(LocksBoth<KeyedMutex<>, int, int>);
  static_assert(!LocksBoth<KeyedMutex<>, int, double>);
}

TEST(KeyGuard, ALeaseComesWithItsNumber) {
  LeasePool pool(1, 2);
  auto first = pool.lock(0);
  auto second = pool.lock(0);
  EXPECT_NE(first.handle().lease(), second.handle().lease());
}

TEST(KeyGuard, AKeyThatWasTakenAwayIsToldAtTheEnd) {
  KeyedLimited<> locks(milliseconds(1), 1);
  auto late = locks.lock_all({1, 2});
  EXPECT_EQ(late.handle().size(), 2U);
  EXPECT_EQ(late.handle()[1].key(), 2U);
  {
    std::jthread([&] { auto guard = locks.lock(2); }).join();
  }
  EXPECT_TRUE(late.handle()[1].expired());
  EXPECT_FALSE(late.unlock());
}

struct Address {
  std::uint32_t tenant;
  std::string name;
  auto operator<=>(const Address&) const = default;
};

// A hash of one bit: what tells keys apart is their equality.
struct AddressHash {
  std::uint64_t operator()(const Address& address) const noexcept { return address.tenant % 2; }
};

TEST(OwnKeys, KeysOfAStructAreToldApartByTheirEquality) {
  KeyedMutex<Address, AddressHash> locks(1);
  auto a = locks.lock({1, "a"});
  auto b = locks.lock(Address{1, "b"});
  const Address same{1, "a"};
  EXPECT_FALSE(is_free(locks, same));
  EXPECT_TRUE(is_free(locks, Address{3, "a"}));
  auto more = locks.lock_all({Address{4, "x"}, Address{2, "y"}});
  EXPECT_TRUE(more.owns_lock());
}

using Uuid = std::array<std::uint8_t, 16>;
struct UuidHash {
  std::uint64_t operator()(const Uuid& uuid) const noexcept {
    return KeyHash{}(std::string_view(reinterpret_cast<const char*>(uuid.data()), uuid.size()));
  }
  using is_avalanching = void;
};

TEST(OwnKeys, AUuidIsAKeyOfEveryTable) {
  const Uuid a{1};
  const Uuid b{2};
  KeyedMutex<Uuid, UuidHash> keyed;
  KeyedLimited<Uuid, UuidHash> limited;
  KeyedSharedMutex<Uuid, UuidHash> shared;
  KeyedSemaphore<Uuid, UuidHash> semaphore(1);
  StripedLock<AdaptiveMutex, UuidHash> striped;
  const auto check = [&](auto& locks) {
    auto guard = locks.lock(a);
    EXPECT_FALSE(is_free(locks, a));
    EXPECT_TRUE(is_free(locks, b));
  };
  check(keyed);
  check(limited);
  check(shared);
  check(semaphore);
  auto guard = striped.lock(a);
  EXPECT_FALSE(is_free(striped, a));
}

TEST(OwnKeys, AStringKeyOutlivesTheStringThatItWasMadeFrom) {
  KeyedMutex<std::string> locks;
  auto guard = locks.lock(std::string("a name that is too long for a small string"));
  EXPECT_FALSE(is_free(locks, "a name that is too long for a small string"));
  EXPECT_TRUE(is_free(locks, "b"));
}

}  // namespace
}  // namespace lockbench
