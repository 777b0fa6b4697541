// SPDX-License-Identifier: Apache-2.0

// ParkingMutex: many locks of a byte, whose waiters share a table.
#include "primitives/parking_lot.h"

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "tests/primitives/contract.h"

namespace lockbench {
namespace {

static_assert(TimedLockable<ParkingMutex>);

// More locks than the table has buckets, side by side.
TEST(ParkingMutex, LocksThatShareABucketAreApart) {
  constexpr std::size_t kLocks = 1024;
  const auto locks = std::make_unique<ParkingMutex[]>(kLocks);
  for (std::size_t i = 0; i < kLocks; i += 2) locks[i].lock();
  EXPECT_TRUE(elsewhere([&] {
    for (std::size_t i = 0; i < kLocks; ++i) {
      if (locks[i].try_lock() != (i % 2 == 1)) return false;
      if (i % 2 == 1) locks[i].unlock();
    }
    return true;
  }));
  for (std::size_t i = 0; i < kLocks; i += 2) locks[i].unlock();
}

TEST(ParkingMutex, WaitersOfManyLocksLoseNoUpdate) {
  constexpr std::size_t kLocks = 5;
  std::array<ParkingMutex, kLocks> locks;
  std::array<int, kLocks> counters{};
  run_threads(6, [&](std::size_t number) {
    for (std::size_t i = 0; i < 500; ++i) {
      const std::size_t which = (i + number) % kLocks;
      std::scoped_lock guard(locks[which]);
      const int seen = counters[which];
      if (i % 8 == 0) std::this_thread::yield();
      counters[which] = seen + 1;
    }
  });
  int sum = 0;
  for (const int counter : counters) sum += counter;
  EXPECT_EQ(sum, 6 * 500);
}

TEST(ParkingMutex, WhoeverGivesUpTakesNobodysTurn) {
  ParkingMutex lock;
  std::atomic<bool> got{false};
  lock.lock();
  std::jthread patient([&] {
    std::scoped_lock guard(lock);
    got = true;
  });
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(elsewhere([&] { return lock.try_lock_for(std::chrono::microseconds(200)); }));
  }
  lock.unlock();
  patient.join();
  EXPECT_TRUE(got);
}

// Freed by the thread that was let in, while the one that let it in may still be in unlock().
TEST(ParkingMutex, MayBeDestroyedByWhoeverWasLetIn) {
  for (int i = 0; i < 200; ++i) {
    auto lock = std::make_unique<ParkingMutex>();
    ParkingMutex& reference = *lock;
    lock->lock();
    std::jthread last([lock = std::move(lock)]() mutable {
      lock->lock();
      lock->unlock();
      lock.reset();
    });
    if (i % 2 == 0) std::this_thread::yield();
    reference.unlock();
  }
}

}  // namespace
}  // namespace lockbench
