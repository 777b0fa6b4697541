// SPDX-License-Identifier: Apache-2.0

// MadeLock: makes its mutex when it is needed first. In the broken one, two threads may make one
// each.
#pragma once

#include "primitives/platform/atomic.h"
#include "primitives/platform/mutex.h"

namespace lockbench::mutants {

enum class MadeFault {
  kNone,
  kTwice,           // looks whether there is a mutex, then stores its own, in two steps
  kDoesNotRelease,  // the address is published, and what lies there is not
  kIsNotAcquired,   // the same, at the other end
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
  static constexpr auto kLoad =
      kFault == MadeFault::kIsNotAcquired ? std::memory_order_relaxed : std::memory_order_acquire;
  static constexpr auto kPublish =
      kFault == MadeFault::kDoesNotRelease ? std::memory_order_acquire : std::memory_order_acq_rel;
  platform::Mutex& mutex() {
    platform::Mutex* made = mutex_.load(kLoad);
    if (made != nullptr) return *made;
    platform::Mutex* const mine = new platform::Mutex;
    if (kFault == MadeFault::kTwice) {
      mutex_.store(mine, std::memory_order_release);
      return *mine;
    }
    if (mutex_.compare_exchange_strong(made, mine, kPublish, kLoad)) return *mine;
    delete mine;
    return *made;
  }

  platform::Atomic<platform::Mutex*> mutex_{nullptr};
};

}  // namespace lockbench::mutants
