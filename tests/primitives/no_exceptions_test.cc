// SPDX-License-Identifier: Apache-2.0

// Every header works without exceptions: this file is compiled with -fno-exceptions. What would be
// thrown ends the process with its message.
#include <cstdint>
#include <mutex>
#include <string_view>

#include <gtest/gtest.h>

#include "primitives/adaptive_mutex.h"
#include "primitives/biased_recursive_mutex.h"
#include "primitives/concepts.h"
#include "primitives/fence.h"
#include "primitives/file_lock.h"
#include "primitives/futex_mutex.h"
#include "primitives/global_lock.h"
#include "primitives/key.h"
#include "primitives/key_guard.h"
#include "primitives/key_scope.h"
#include "primitives/key_text.h"
#include "primitives/keyed_co_mutex.h"
#include "primitives/keyed_limited.h"
#include "primitives/keyed_mutex.h"
#include "primitives/keyed_semaphore.h"
#include "primitives/keyed_shared_mutex.h"
#include "primitives/lease_pool.h"
#include "primitives/no_lock.h"
#include "primitives/parking_mutex.h"
#include "primitives/process_wide.h"
#include "primitives/recursive_mutex.h"
#include "primitives/reentrant_lock.h"
#include "primitives/stripe_word.h"
#include "primitives/striped_lock.h"
#include "primitives/version.h"

namespace lockbench {
namespace {

TEST(WithoutExceptions, HandlesLockAndUnlock) {
  KeyedMutex<std::string_view> keyed;
  auto both = keyed.handle_both("a", "b");
  const std::scoped_lock keyed_guard(both);
  StripedLock<> striped;
  auto all = striped.handle_all(std::uint64_t{1}, std::uint64_t{2});
  const std::scoped_lock striped_guard(all);
  LeasePool pool(1, 1);
  auto lease = pool.handle(0);
  const std::scoped_lock lease_guard(lease);
  ReentrantLock<> reentrant;
  auto handle = reentrant.handle(std::uint64_t{1});
  const std::scoped_lock reentrant_guard(handle);
  EXPECT_EQ(keyed.keys_kept(), 2U);
  EXPECT_EQ(pool.available(0), 0U);
}

TEST(WithoutExceptions, GuardsLockAndUnlock) {
  KeyedSharedMutex<> shared;
  const auto reader = shared.lock_shared(1);
  KeyedSemaphore<> semaphore(1);
  const auto permit = semaphore.lock(1);
  KeyedCoMutex<> coroutines;
  const auto hold = coroutines.try_lock(1);
  KeyedMutex<> keyed;
  const auto all = keyed.lock_all({1, 2});
  EXPECT_TRUE(reader && permit && hold && all);
}

TEST(WithoutExceptions, AnErrorEndsTheProcessWithItsMessage) {
  EXPECT_DEATH(LeasePool(1, 0), "lockbench: LeasePool: there must be at least 1 shard");
  EXPECT_DEATH(FileLock<>("/no/such/folder"), "lockbench: file lock: '/no/such/folder'");
}

}  // namespace
}  // namespace lockbench
