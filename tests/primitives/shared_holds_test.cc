// SPDX-License-Identifier: Apache-2.0

// Locks whose keys have several holders: who holds together, and who is next.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "primitives/keyed_semaphore.h"
#include "primitives/keyed_shared_mutex.h"
#include "primitives/striped_lock.h"
#include "tests/primitives/contract.h"

namespace lockbench {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using ::testing::UnorderedElementsAre;

static_assert(KeyedLock<KeyedSharedMutex<>>);
static_assert(PairLock<KeyedSharedMutex<>>);
static_assert(SharedLockable<HandleOf<KeyedSharedMutex<>>>);
static_assert(TimedLockable<HandleOf<KeyedSharedMutex<>>>);
static_assert(KeyedLock<KeyedSemaphore<>>);
static_assert(SharedLockable<HandleOf<StripedLock<std::shared_mutex>>>);
static_assert(!SharedLockable<HandleOf<StripedLock<std::mutex>>>);

template <class P>
class SharedHolds : public ::testing::Test {
 protected:
  bool reader_gets_in(std::uint64_t key) {
    return elsewhere([&] { return locks_.try_lock_shared(key).owns_lock(); });
  }
  bool writer_gets_in(std::uint64_t key) {
    return elsewhere([&] { return locks_.try_lock(key).owns_lock(); });
  }

  P locks_;
};

using Locks = ::testing::Types<KeyedSharedMutex<>, StripedLock<std::shared_mutex>>;
TYPED_TEST_SUITE(SharedHolds, Locks);

TYPED_TEST(SharedHolds, ReadersHoldAKeyTogether) {
  auto reader = this->locks_.lock_shared(1);
  EXPECT_TRUE(this->reader_gets_in(1));
  EXPECT_FALSE(this->writer_gets_in(1));
  reader.unlock();
  EXPECT_TRUE(this->writer_gets_in(1));
}

TYPED_TEST(SharedHolds, AWriterHoldsItAlone) {
  auto writer = this->locks_.lock(1);
  EXPECT_FALSE(this->reader_gets_in(1));
  EXPECT_FALSE(this->writer_gets_in(1));
  writer.unlock();
  EXPECT_TRUE(this->reader_gets_in(1));
}

TYPED_TEST(SharedHolds, TheStandardSGuardsTakeAHandle) {
  auto handle = this->locks_.handle(std::uint64_t{1});
  {
    std::shared_lock reader(handle);
    EXPECT_TRUE(this->reader_gets_in(1));
    EXPECT_FALSE(this->writer_gets_in(1));
  }
  std::unique_lock writer(handle);
  EXPECT_FALSE(this->reader_gets_in(1));
}

TYPED_TEST(SharedHolds, ReadersSeeWhatWritersWrote) {
  constexpr int kRounds = 3000;
  std::array<std::uint64_t, 2> pair{};  // equal outside of a writer's hold
  std::atomic<std::uint64_t> torn = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kRounds; ++i) {
          if ((i + t) % 5 == 0) {
            auto writer = this->locks_.lock(1);
            ++pair[0];
            ++pair[1];
          } else {
            auto reader = this->locks_.lock_shared(1);
            if (pair[0] != pair[1]) ++torn;
          }
        }
      });
    }
  }
  EXPECT_EQ(torn, 0U);
  EXPECT_EQ(pair[0], std::uint64_t{4 * kRounds / 5});
  EXPECT_EQ(pair[1], pair[0]);
}

class Order : public ::testing::Test {
 protected:
  // Starts a thread that waits for key 1, and returns when it waits.
  template <class Take>
  void queue(char name, const Take& take) {
    const std::size_t before = locks_.waiters(1);
    threads_.emplace_back([this, name, take] {
      auto guard = take();
      if (!guard) return;
      const std::scoped_lock guard_of_order(mutex_);
      order_ += name;
    });
    while (locks_.waiters(1) == before) std::this_thread::yield();
  }
  void queue_reader(char name) {
    queue(name, [this] { return locks_.lock_shared(1); });
  }
  void queue_writer(char name) {
    queue(name, [this] { return locks_.lock(1); });
  }
  std::string order() {
    threads_.clear();
    return order_;
  }

  KeyedSharedMutex<> locks_{1};
  std::mutex mutex_;
  std::string order_;
  std::vector<std::jthread> threads_;
};

TEST_F(Order, AReaderThatComesWhileAWriterWaitsQueuesBehindIt) {
  auto reader = locks_.lock_shared(1);
  queue_writer('W');
  EXPECT_FALSE(elsewhere([&] { return locks_.try_lock_shared(1).owns_lock(); }));
  queue_reader('r');
  // Another key of the bucket has its own order.
  EXPECT_TRUE(elsewhere([&] { return locks_.try_lock_shared(2).owns_lock(); }));
  reader.unlock();
  EXPECT_EQ(order(), "Wr");
}

TEST_F(Order, AllReadersThatWaitGoBeforeTheNextWriter) {
  auto writer = locks_.lock(1);
  queue_writer('W');
  queue_reader('r');
  queue_writer('X');
  queue_reader('r');
  writer.unlock();
  EXPECT_EQ(order(), "rrWX");
}

TEST_F(Order, WritersAreServedInTheOrderInWhichTheyCame) {
  auto writer = locks_.lock(1);
  for (const char name : {'A', 'B', 'C'}) queue_writer(name);
  writer.unlock();
  EXPECT_EQ(order(), "ABC");
}

TEST_F(Order, ManyReadersAreWokenByOneRelease) {
  auto writer = locks_.lock(1);
  for (int i = 0; i < 40; ++i) queue_reader('r');
  writer.unlock();
  EXPECT_EQ(order(), std::string(40, 'r'));
}

TEST_F(Order, ReadersBehindAWriterThatIsStoppedGetIn) {
  auto reader = locks_.lock_shared(1);
  std::stop_source stop;
  queue('W', [&] { return locks_.lock(1, stop.get_token()); });
  queue_reader('r');
  queue_reader('r');
  stop.request_stop();
  EXPECT_EQ(order(), "rr");  // while the first reader still holds
  EXPECT_TRUE(reader.owns_lock());
}

TEST_F(Order, ReadersBehindAWriterWhoseTimeIsUpGetIn) {
  auto reader = locks_.lock_shared(1);
  std::jthread writer([&] { EXPECT_FALSE(locks_.try_lock_for(1, milliseconds(20)).owns_lock()); });
  // Before the writer, behind it, or after it gave up.
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(elsewhere([&] { return locks_.lock_shared(1).owns_lock(); }));
  }
  EXPECT_TRUE(reader.owns_lock());
}

TEST_F(Order, AReaderStopsWaiting) {
  auto writer = locks_.lock(1);
  std::stop_source stop;
  queue('r', [&] { return locks_.lock_shared(1, stop.get_token()); });
  stop.request_stop();
  EXPECT_EQ(order(), "");
  EXPECT_EQ(locks_.waiters(1), 0U);
  EXPECT_FALSE(
      elsewhere([&] { return locks_.try_lock_shared_for(1, milliseconds(1)).owns_lock(); }));
}

TEST(KeyedSharedMutex, AHandleThatHoldsItsKeyIsRefused) {
  if (internal::kChecksUse) GTEST_SKIP() << "a debug build ends the process: misuse_test.cc";
  KeyedSharedMutex<> locks;
  auto handle = locks.handle(1);
  handle.lock_shared();
  EXPECT_THROW(handle.lock(), std::system_error);
  EXPECT_THROW(handle.lock_shared(), std::system_error);
  EXPECT_FALSE(handle.try_lock());
  EXPECT_FALSE(handle.try_lock_shared());
  handle.unlock_shared();
  EXPECT_EQ(locks.keys_kept(), 0U);
}

TEST(KeyedSharedMutex, AKeyWithSeveralReadersIsShownOnce) {
  KeyedSharedMutex<> locks(1);
  auto a = locks.lock_shared(1);
  auto b = locks.lock_shared(1);
  auto c = locks.lock(2);
  std::vector<std::uint64_t> held;
  locks.for_each_held([&](std::uint64_t key) { held.push_back(key); });
  EXPECT_THAT(held, UnorderedElementsAre(1, 2));
  EXPECT_EQ(locks.keys_kept(), 2U);
}

TEST(KeyedSemaphore, AKeyHasAsManyHoldersAsPermits) {
  KeyedSemaphore<> locks(2, 1);
  auto a = locks.lock(1);
  auto b = locks.lock(1);
  EXPECT_FALSE(locks.try_lock(1).owns_lock());
  EXPECT_TRUE(locks.try_lock(2).owns_lock());
  b.unlock();
  EXPECT_TRUE(locks.try_lock_for(1, hours(1)).owns_lock());
  EXPECT_EQ(locks.keys_kept(), 1U);
}

TEST(KeyedSemaphore, ThereAreNeverMoreHoldersThanPermits) {
  constexpr int kPermits = 3;
  constexpr int kRounds = 2000;
  KeyedSemaphore<> locks(kPermits, 1);
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 6; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < kRounds; ++i) {
          auto permit = locks.lock(1);
          const int now = ++inside;
          int seen = most;
          while (seen < now && !most.compare_exchange_weak(seen, now)) {
          }
          --inside;
        }
      });
    }
  }
  EXPECT_LE(most, kPermits);
  EXPECT_EQ(locks.keys_kept(), 0U);
}

TEST(KeyedSemaphore, NoPermitsAreRefused) {
  EXPECT_THROW(KeyedSemaphore<>(0), std::invalid_argument);
}

}  // namespace
}  // namespace lockbench
