// SPDX-License-Identifier: Apache-2.0

// PlainLock: the lock that scripting languages offer, and that several published forms are made of.
//
// Guarantees   one holder; any thread may release, not the holder alone, and whoever waits is let
//              in; a thread that locks twice waits for itself forever.
// Not offered  owners, order, timeouts.
// Source       the Python library's documentation of threading.Lock, of which PyThread_type_lock is
//              the C side. It raises an error when a free lock is released; here release() says so.
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

  // False when it was free already: then nothing happens.
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
