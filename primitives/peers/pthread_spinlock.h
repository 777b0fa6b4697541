// SPDX-License-Identifier: Apache-2.0

// PthreadSpinlock: the C library's spin lock under the standard's names.
//
// Guarantees   mutual exclusion between threads.
// Not offered  recursion, timeouts, any order among waiters; sleeping: waiters burn their time
//              slices, even when the holder does not run.
#pragma once

#include <pthread.h>
#include <system_error>

namespace lockbench {

class PthreadSpinlock {
 public:
  // Throws std::system_error when the C library has no resources for it.
  PthreadSpinlock() {
    if (const int error = pthread_spin_init(&lock_, PTHREAD_PROCESS_PRIVATE); error != 0) {
      throw std::system_error(error, std::generic_category(), "pthread_spin_init");
    }
  }
  ~PthreadSpinlock() { pthread_spin_destroy(&lock_); }
  PthreadSpinlock(const PthreadSpinlock&) = delete;
  PthreadSpinlock& operator=(const PthreadSpinlock&) = delete;

  void lock() { pthread_spin_lock(&lock_); }
  bool try_lock() { return pthread_spin_trylock(&lock_) == 0; }
  void unlock() { pthread_spin_unlock(&lock_); }

 private:
  pthread_spinlock_t lock_;
};

}  // namespace lockbench
