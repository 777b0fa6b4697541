// SPDX-License-Identifier: Apache-2.0

// AdaptiveMutex, and the recursive mutex that is biased to one thread.
#include "primitives/adaptive_mutex.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <latch>
#include <memory>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "primitives/biased_recursive_mutex.h"
#include "primitives/parking_mutex.h"
#include "tests/primitives/contract.h"

namespace lockbench {
namespace {

using namespace std::chrono_literals;

static_assert(TimedLockable<AdaptiveMutex>);
static_assert(TimedLockable<BiasedRecursiveMutex<AdaptiveMutex>>);
static_assert(sizeof(AdaptiveMutex) == 4);

template <class Mutex>
class AnyMutex : public testing::Test {};

using Mutexes =
    testing::Types<AdaptiveMutex, BasicAdaptiveMutex<internal::NoBarriers>,
                   BiasedRecursiveMutex<AdaptiveMutex>,
                   BiasedRecursiveMutex<AdaptiveMutex, internal::NoBarriers>, ParkingMutex>;
TYPED_TEST_SUITE(AnyMutex, Mutexes);

// Long quiet stretches and contended ones by turns: releases turn calm and shared again.
TYPED_TEST(AnyMutex, ChangesOfMannerLoseNoUpdate) {
  TypeParam mutex;
  int counter = 0;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 5000; ++i) {
      const std::scoped_lock guard(mutex);
      ++counter;
    }
    run_threads(4, [&](std::size_t) {
      for (int i = 0; i < 200; ++i) {
        const std::scoped_lock guard(mutex);
        const int seen = counter;
        if (i % 16 == 0) std::this_thread::yield();
        counter = seen + 1;
      }
    });
  }
  EXPECT_EQ(counter, 20 * (5000 + 4 * 200));
}

// Locks of one bucket of the table are calm or shared together.
TYPED_TEST(AnyMutex, NeighboursOfAContendedOneLoseNoUpdate) {
  constexpr std::size_t kMutexes = 600;
  const auto mutexes = std::make_unique<TypeParam[]>(kMutexes);
  std::array<int, kMutexes> counters{};
  run_threads(4, [&](std::size_t number) {
    for (std::size_t i = 0; i < 20'000; ++i) {
      const std::size_t which = i % 4 == 0 ? 0 : (i * (2 * number + 1)) % kMutexes;
      const std::scoped_lock guard(mutexes[which]);
      ++counters[which];
    }
  });
  int sum = 0;
  for (const int counter : counters) sum += counter;
  EXPECT_EQ(sum, 4 * 20'000);
}

// Whoever is let in last destroys the mutex, while the one who let it in is still in unlock().
template <class Mutex>
class DestroyedMutex : public testing::Test {};
using Destroyed = testing::Types<AdaptiveMutex, ParkingMutex>;
TYPED_TEST_SUITE(DestroyedMutex, Destroyed);

TYPED_TEST(DestroyedMutex, MayBeDestroyedByTheLastOneIn) {
  for (int i = 0; i < 2000; ++i) {
    auto mutex = std::make_unique<TypeParam>();
    mutex->lock();
    std::latch about_to_lock(1);
    std::thread last([&] {
      about_to_lock.count_down();
      mutex->lock();
      mutex->unlock();
      mutex.reset();
    });
    TypeParam& still_there = *mutex;
    about_to_lock.wait();
    still_there.unlock();
    last.join();
  }
}

using Biased = BiasedRecursiveMutex<AdaptiveMutex>;

void earn_the_bias(Biased& mutex) {
  for (int i = 0; i < 100; ++i) {
    mutex.lock();
    mutex.unlock();
  }
}

TEST(BiasedRecursiveMutex, OthersAreKeptOutAtEveryDepth) {
  Biased mutex;
  earn_the_bias(mutex);
  for (int i = 0; i < 3; ++i) mutex.lock();
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(elsewhere([&] { return mutex.try_lock(); }));
    EXPECT_FALSE(elsewhere([&] { return mutex.try_lock_for(1ms); }));
    EXPECT_TRUE(mutex.try_lock());  // the bias was asked for, and is still this thread's to leave
    mutex.unlock();
    mutex.unlock();
  }
  EXPECT_TRUE(elsewhere([&] {
    if (!mutex.try_lock()) return false;
    mutex.unlock();
    return true;
  }));
  mutex.lock();
  mutex.unlock();
}

TEST(BiasedRecursiveMutex, AnIdleOwnerIsNotWaitedFor) {
  for (int i = 0; i < 100; ++i) {
    Biased mutex;
    earn_the_bias(mutex);
    EXPECT_TRUE(elsewhere([&] {
      if (!mutex.try_lock()) return false;
      mutex.unlock();
      return true;
    }));
  }
}

TEST(BiasedRecursiveMutex, ABusyOwnerLosesTheBiasAndNoUpdate) {
  for (int round = 0; round < 50; ++round) {
    Biased mutex;
    int counter = 0;
    run_threads(3, [&](std::size_t number) {
      for (int i = 0; i < (number == 0 ? 20'000 : 50); ++i) {
        const std::scoped_lock outer(mutex);
        const std::scoped_lock inner(mutex);
        ++counter;
      }
    });
    EXPECT_EQ(counter, 20'100);
  }
}

}  // namespace
}  // namespace lockbench
