// SPDX-License-Identifier: Apache-2.0

// ParkingTableMutex: the mutex of FutexMutex, asleep in the table that is the futex of the portable
// platform. So the table's interleavings are explored, over the simulated mutex and condition
// variable.
#pragma once

#include <cstdint>

#include "primitives/internal/timed.h"
#include "primitives/platform/atomic.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/portable/parking_table.h"
#include "primitives/platform/thread.h"

namespace lockbench::stress::explore {

class ParkingTableMutex : public lockbench::internal::TimedMembers<ParkingTableMutex> {
 public:
  void lock() { lock_before(platform::kForever); }

  bool try_lock() {
    std::uint32_t expected = kFree;
    // (1) acquire: synchronizes with (2).
    return word_.compare_exchange_strong(expected, kHeld, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }

  bool lock_before(platform::Time deadline) {
    if (try_lock()) return true;
    // acquire: as (1).
    while (word_.exchange(kHeldWaiters, std::memory_order_acquire) != kFree) {
      if (!table().wait(word_, kHeldWaiters, deadline)) return false;
    }
    return true;
  }

  void unlock() {
    // (2) release: publishes the critical section to (1).
    if (word_.exchange(kFree, std::memory_order_release) == kHeldWaiters) table().wake(word_, 1);
  }

 private:
  // 0 free | 1 held | 2 held, and threads may sleep
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kHeldWaiters = 2;

  static platform::ParkingTable& table() {
    return platform::of_this_process<platform::ParkingTable>();
  }

  platform::ParkingTable::Word word_{kFree};
};

}  // namespace lockbench::stress::explore
