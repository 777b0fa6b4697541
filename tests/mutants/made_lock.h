// SPDX-License-Identifier: Apache-2.0

// MadeLock: makes its mutex when it is needed first. In the broken one, two threads may make one
// each.
#pragma once

#include "primitives/platform/atomic.h"
#include "primitives/platform/mutex.h"

namespace lockbench::mutants {

enum class MadeFault {
  kNone,
  kTwice,  // looks whether there is a mutex, then stores its own, in two steps
};

template <MadeFault kFault>
class MadeLock {
 public:
  MadeLock() = default;
  MadeLock(const MadeLock&) = delete;
  MadeLock& operator=(const MadeLock&) = delete;
  ~MadeLock() { delete mutex_.load(std::memory_order_relaxed); }

  void lock() { mutex().lock(); }
  bool try_lock() { return mutex().try_lock(); }
  // The mutex that was locked may not be the one that is there now.
  void unlock() { mutex().unlock(); }

 private:
  platform::Mutex& mutex() {
    platform::Mutex* made = mutex_.load(std::memory_order_acquire);
    if (made != nullptr) return *made;
    platform::Mutex* const mine = new platform::Mutex;
    if (kFault == MadeFault::kTwice) {
      mutex_.store(mine, std::memory_order_release);
      return *mine;
    }
    if (mutex_.compare_exchange_strong(made, mine, std::memory_order_acq_rel)) return *mine;
    delete mine;
    return *made;
  }

  platform::Atomic<platform::Mutex*> mutex_{nullptr};
};

}  // namespace lockbench::mutants
