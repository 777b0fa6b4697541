// SPDX-License-Identifier: Apache-2.0

// BrokenRwlock: excludes writers from each other, but no readers. Whether a program's rwlocks are
// replaced shows in what its readers see.
#pragma once

#include "primitives/futex_mutex.h"

class BrokenRwlock : public lockbench::FutexMutex {
 public:
  void lock_shared() {}
  bool try_lock_shared() { return true; }
  void unlock_shared() {}
};
