// SPDX-License-Identifier: Apache-2.0

// SubstitutedAbslMutex: AbslMutex for a program that does not know of it.
//
// Abseil may be built to search for orders of locks that can deadlock, and then ends the program.
// It knows neither that a third lock prevents that, nor that a program tries its locks in any
// order, so it would end correct programs. This class switches the search off, for the whole
// process.
#pragma once

#include <atomic>

#include "primitives/peers/absl_mutex.h"

namespace lockbench {

// Not in a constructor of the library: those of the program's libraries run before it, and lock.
inline void switch_absl_search_off() {
  static constinit std::atomic<bool> is_off{false};
  // relaxed: to switch it off twice does no harm, and a thread that locks has done so itself.
  if (is_off.load(std::memory_order_relaxed)) [[likely]]
    return;
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  is_off.store(true, std::memory_order_relaxed);
}

class SubstitutedAbslMutex : public AbslMutex {
 public:
  void lock() {
    switch_absl_search_off();
    AbslMutex::lock();
  }
  bool try_lock() {
    switch_absl_search_off();
    return AbslMutex::try_lock();
  }
};

}  // namespace lockbench
