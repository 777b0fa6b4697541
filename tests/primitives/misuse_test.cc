// SPDX-License-Identifier: Apache-2.0

// The misuse that debug builds report: this file is compiled without NDEBUG.
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <gtest/gtest.h>

#include "primitives/adaptive_mutex.h"
#include "primitives/file_lock.h"
#include "primitives/futex_mutex.h"
#include "primitives/keyed_limited.h"
#include "primitives/keyed_mutex.h"
#include "primitives/keyed_semaphore.h"
#include "primitives/keyed_shared_mutex.h"
#include "primitives/lease_pool.h"
#include "primitives/parking_mutex.h"
#include "primitives/platform/scratch_folder.h"
#include "primitives/reentrant_lock.h"
#include "primitives/stripe_word.h"
#include "primitives/striped_lock.h"
#include "tests/primitives/contract.h"

namespace lockbench {
namespace {

static_assert(internal::kChecksUse, "this test is about what debug builds report");

constexpr std::uint64_t kKey = 1;

template <class Mutex>
class MutexMisuse : public testing::Test {};
using Mutexes = testing::Types<AdaptiveMutex, FutexMutex, ParkingMutex, RecursiveMutex<FutexMutex>,
                               BiasedRecursiveMutex<AdaptiveMutex>>;
TYPED_TEST_SUITE(MutexMisuse, Mutexes);

TYPED_TEST(MutexMisuse, UnlockWithoutLockIsReported) {
  TypeParam mutex;
  EXPECT_DEATH(mutex.unlock(), "misuse: .*unlock\\(\\)");
  mutex.lock();
  mutex.unlock();
  EXPECT_DEATH(mutex.unlock(), "misuse: .*unlock\\(\\)");
}

TYPED_TEST(MutexMisuse, TheEndOfAHeldOneIsReported) {
  EXPECT_DEATH(
      {
        auto mutex = std::make_unique<TypeParam>();
        mutex->lock();
        mutex.reset();
      },
      "misuse: .*destroyed while it is held");
}

TYPED_TEST(MutexMisuse, CorrectUseIsNotReported) {
  TypeParam mutex;
  run_threads(4, [&](std::size_t) {
    for (int i = 0; i < 1000; ++i) {
      const std::scoped_lock guard(mutex);
    }
  });
}

// How each primitive is made.
template <class P>
std::unique_ptr<P> make() {
  return std::make_unique<P>();
}
template <>
std::unique_ptr<LeasePool> make() {
  return std::make_unique<LeasePool>(2, 2);
}

template <class P>
class HandleMisuse : public testing::Test {
 protected:
  const std::unique_ptr<P> primitive_ = make<P>();
};
using Primitives = testing::Types<KeyedMutex<>, KeyedLimited<>, LeasePool, StripeWord,
                                  KeyedSharedMutex<>, KeyedSemaphore<>>;
TYPED_TEST_SUITE(HandleMisuse, Primitives);

TYPED_TEST(HandleMisuse, UnlockWithoutLockIsReported) {
  auto handle = this->primitive_->handle(kKey);
  EXPECT_DEATH(handle.unlock(), "misuse: .*unlock\\(\\)");
}

TYPED_TEST(HandleMisuse, ASecondUnlockIsReported) {
  auto handle = this->primitive_->handle(kKey);
  handle.lock();
  handle.unlock();
  EXPECT_DEATH(handle.unlock(), "misuse: .*unlock\\(\\)");
}

TYPED_TEST(HandleMisuse, UnlockOfWhatAnotherHandleHoldsIsReported) {
  auto holder = this->primitive_->handle(kKey);
  auto other = this->primitive_->handle(kKey);
  holder.lock();
  EXPECT_DEATH(other.unlock(), "misuse: .*unlock\\(\\)");
  holder.unlock();
}

TYPED_TEST(HandleMisuse, ASecondLockIsReported) {
  auto handle = this->primitive_->handle(kKey);
  handle.lock();
  EXPECT_DEATH(handle.lock(), "misuse: .*lock\\(\\) of a handle");
  EXPECT_DEATH(handle.try_lock(), "misuse: .*lock\\(\\) of a handle");
  EXPECT_DEATH(handle.try_lock_for(std::chrono::milliseconds(1)),
               "misuse: .*lock\\(\\) of a handle");
  handle.unlock();
}

TYPED_TEST(HandleMisuse, TheEndOfAHandleThatHoldsIsReported) {
  EXPECT_DEATH(
      {
        auto handle = this->primitive_->handle(kKey);
        handle.lock();
      },
      "misuse: .*handle is destroyed");
}

TYPED_TEST(HandleMisuse, CorrectUseIsNotReported) {
  run_threads(4, [&](std::size_t number) {
    for (std::uint64_t i = 0; i < 2000; ++i) {
      auto handle = this->primitive_->handle((i + number) % 2);
      if (i % 3 == 0 ? handle.try_lock() : (handle.lock(), true)) handle.unlock();
    }
  });
}

TEST(SharedHoldMisuse, UnlockOfTheOtherKindIsReported) {
  KeyedSharedMutex<> locks;
  auto handle = locks.handle(kKey);
  handle.lock_shared();
  EXPECT_DEATH(handle.unlock(), "misuse: .*without an exclusive hold");
  handle.unlock_shared();
  handle.lock();
  EXPECT_DEATH(handle.unlock_shared(), "misuse: .*without a shared hold");
  handle.unlock();
}

TEST(KeyedMutexMisuse, TheEndOfOneWhoseKeyIsHeldIsReported) {
  EXPECT_DEATH(
      {
        auto locks = std::make_unique<KeyedMutex<>>();
        auto handle = locks->handle(kKey);
        handle.lock();
        locks.reset();
      },
      "misuse: .*destroyed while");
}

// The overflow table and the overflow nodes: not the first cell of the bucket.
TEST(KeyedMutexMisuse, IsReportedWhereverTheKeyIsHeld) {
  KeyedMutex<std::uint64_t, KeyHash, internal::KernelBarriers, 2> locks(1);
  std::vector<std::unique_ptr<HandleOf<decltype(locks)>>> handles;
  for (std::uint64_t key = 0; key < 8; ++key) {
    handles.emplace_back(new HandleOf<decltype(locks)>(locks.handle(key)))->lock();
  }
  for (auto& handle : handles) {
    EXPECT_DEATH(handle->lock(), "misuse: .*lock\\(\\) of a handle");
    EXPECT_DEATH(handle->try_lock(), "misuse: .*lock\\(\\) of a handle");
  }
  for (auto& handle : handles) handle->unlock();
  for (auto& handle : handles) EXPECT_DEATH(handle->unlock(), "misuse: .*unlock\\(\\)");
}

TEST(LeasePoolMisuse, AShardThatDoesNotExistIsReported) {
  LeasePool pool(2, 1);
  EXPECT_DEATH(pool.handle(2), "misuse: .*shard");
  EXPECT_DEATH(pool.census(2), "misuse: .*shard");
}

TEST(FileLockMisuse, TheEndOfAHandleThatHoldsIsReported) {
  const platform::ScratchFolder folder;
  FileLock<> lock(folder.path());
  EXPECT_DEATH(
      {
        auto handle = lock.handle(kKey);
        handle.lock();
      },
      "misuse: .*handle is destroyed");
  EXPECT_DEATH(
      {
        auto handle = lock.handle(kKey);
        handle.lock();
        handle.lock();
      },
      "misuse: .*lock\\(\\) of a handle");
}

}  // namespace
}  // namespace lockbench
