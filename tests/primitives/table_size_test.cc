// SPDX-License-Identifier: Apache-2.0

// Tables that no memory can hold: a number of entries that wrapped around, for example.
#include "primitives/internal/table_size.h"

#include <cstddef>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include "primitives/keyed_co_mutex.h"
#include "primitives/keyed_limited.h"
#include "primitives/keyed_mutex.h"
#include "primitives/keyed_semaphore.h"
#include "primitives/keyed_shared_mutex.h"
#include "primitives/lease_pool.h"
#include "primitives/striped_lock.h"

namespace lockbench {
namespace {

TEST(TableSize, TheMaskIsThatOfTheNextPowerOfTwo) {
  EXPECT_EQ(internal::table_mask(0), 0u);
  EXPECT_EQ(internal::table_mask(1), 0u);
  EXPECT_EQ(internal::table_mask(5), 7u);
  EXPECT_EQ(internal::table_mask(internal::kMostEntries), internal::kMostEntries - 1);
}

TEST(TableSize, OneThatNoMemoryCanHoldIsRefusedByEveryPrimitive) {
  // With the second and third, the size in bytes wraps around as well.
  for (const std::size_t entries :
       {internal::kMostEntries + 1, std::size_t{1} << 58, std::size_t{1} << 62,
        (std::size_t{1} << 63) + 1, std::numeric_limits<std::size_t>::max()}) {
    EXPECT_THROW(KeyedMutex<>{entries}, std::invalid_argument) << entries;
    EXPECT_THROW(KeyedSharedMutex<>{entries}, std::invalid_argument) << entries;
    EXPECT_THROW(KeyedSemaphore<>(1, entries), std::invalid_argument) << entries;
    EXPECT_THROW(KeyedLimited<>(KeyedLimited<>::kDefaultLimit, entries), std::invalid_argument)
        << entries;
    EXPECT_THROW(KeyedCoMutex<>{entries}, std::invalid_argument) << entries;
    EXPECT_THROW(StripedLock<>{entries}, std::invalid_argument) << entries;
    EXPECT_THROW(LeasePool(entries, 1), std::invalid_argument) << entries;
  }
}

}  // namespace
}  // namespace lockbench
