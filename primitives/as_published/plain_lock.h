// SPDX-License-Identifier: Apache-2.0

// PlainLock: the lock that scripting languages offer, and that several published forms use.
//
// Guarantees   one holder; any thread may release, not only the holder, and a release admits a
//              waiting thread; a thread that locks twice waits for itself forever.
// Not offered  owners, order, timeouts.
// Source       the Python library's documentation of threading.Lock; PyThread_type_lock is its C
//              form. The release of a free lock raises an error there; here release() returns
//              false.
#pragma once

#include <mutex>

#include "primitives/platform/mutex.h"

namespace lockbench::internal {

class PlainLock {
 public:
  void acquire() {
    std::unique_lock guard(mutex_);
    freed_.wait(guard, [this] { return !held_; });
    held_ = true;
  }

  bool try_acquire() {
    std::unique_lock guard(mutex_);
    if (held_) return false;
    held_ = true;
    return true;
  }

  // Returns false, and does nothing, if the lock was free already.
  bool release() {
    std::unique_lock guard(mutex_);
    if (!held_) return false;
    held_ = false;
    freed_.notify_one();
    return true;
  }

 private:
  platform::Mutex mutex_;
  platform::ConditionVariable freed_;
  bool held_ = false;
};

}  // namespace lockbench::internal
