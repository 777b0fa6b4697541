// SPDX-License-Identifier: Apache-2.0

// The published reentrant lock as printed and as repaired: each fault is in one and not in the
// other.
#include "primitives/as_published/reentrant_as_published.h"

#include <latch>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "tests/primitives/contract.h"

namespace lockbench {
namespace {

static_assert(PairLock<ReentrantAsPublished<>> && PairLock<ReentrantRepaired>);

// One thread waits for another.
template <class Lock>
void contend(Lock& lock) {
  auto held = lock.handle(std::uint64_t{0});
  held.lock();
  std::jthread waiter([&] {
    auto handle = lock.handle(std::uint64_t{0});
    std::scoped_lock guard(handle);
  });
  while (lock.has_fast_path()) std::this_thread::yield();
  held.unlock();
}

// F1
TEST(ReentrantAsPublished, OneContentionEndsTheFastPathForGood) {
  ReentrantAsPublished<> printed;
  EXPECT_TRUE(printed.has_fast_path());
  contend(printed);
  EXPECT_FALSE(printed.has_fast_path());

  ReentrantRepaired repaired;
  contend(repaired);
  EXPECT_TRUE(repaired.has_fast_path());
}

TEST(ReentrantAsPublished, SoDoesOneFailedTry) {
  ReentrantAsPublished<> printed;
  ReentrantRepaired repaired;
  auto printed_held = printed.handle(std::uint64_t{0});
  auto repaired_held = repaired.handle(std::uint64_t{0});
  std::scoped_lock guards(printed_held, repaired_held);
  EXPECT_FALSE(is_free(printed, std::uint64_t{0}));
  EXPECT_FALSE(is_free(repaired, std::uint64_t{0}));
  EXPECT_FALSE(printed.has_fast_path());
  EXPECT_TRUE(repaired.has_fast_path());
}

TEST(ReentrantAsPublished, WithoutItsFastPathItStillExcludes) {
  ReentrantAsPublished<> lock;
  contend(lock);
  auto handle = lock.handle(std::uint64_t{0});
  handle.lock();
  handle.lock();
  EXPECT_FALSE(is_free(lock, std::uint64_t{0}));
  handle.unlock();
  EXPECT_FALSE(is_free(lock, std::uint64_t{0}));
  handle.unlock();
  EXPECT_TRUE(is_free(lock, std::uint64_t{0}));
}

// F2
template <class Lock>
bool anybody_unlocks() {
  Lock lock;
  auto held = lock.handle(std::uint64_t{0});
  held.lock();
  std::jthread([&] { lock.handle(std::uint64_t{0}).unlock(); }).join();
  return is_free(lock, std::uint64_t{0});
}

TEST(ReentrantAsPublished, AnyThreadUnlocksAnyOthersLock) {
  EXPECT_TRUE(anybody_unlocks<ReentrantAsPublished<>>());
  EXPECT_FALSE(anybody_unlocks<ReentrantRepaired>());
}

// F3
template <class Lock>
bool survives_one_unlock_too_many() {
  Lock lock;
  lock.handle(std::uint64_t{0}).unlock();
  return is_free(lock, std::uint64_t{0});
}

TEST(ReentrantAsPublished, OneUnlockTooManyShutsEverybodyOut) {
  EXPECT_FALSE(survives_one_unlock_too_many<ReentrantAsPublished<>>());
  EXPECT_TRUE(survives_one_unlock_too_many<ReentrantRepaired>());
}

}  // namespace
}  // namespace lockbench
