// SPDX-License-Identifier: Apache-2.0

// RecordingLock: makes a record before it waits; with the fault, the record stays if
// the wait was unnecessary.
#pragma once

#include <memory>

#include "primitives/platform/atomic.h"
#include "primitives/platform/spin.h"

namespace lockbench::mutants {

template <bool kFreesUnused>
class RecordingLock {
 public:
  void lock() {
    if (try_lock()) return;
    auto record = std::make_unique<Record>();
    if (try_lock()) {
      if (!kFreesUnused) static_cast<void>(record.release());
      return;
    }
    while (!try_lock()) ++record->looks, platform::pause();
  }
  bool try_lock() { return !held_.exchange(true, std::memory_order_acquire); }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  struct Record {
    int looks = 0;
  };

  platform::Atomic<bool> held_{false};
};

}  // namespace lockbench::mutants
