// SPDX-License-Identifier: Apache-2.0

// The base locks that primitives are built from: one lock for all keys, or an array of locks.
#pragma once

#include <mutex>

#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/spin_mutex.h>

#include "primitives/adaptive_mutex.h"
#include "primitives/futex_mutex.h"
#include "primitives/peers/absl_mutex.h"
#include "primitives/peers/pthread_spinlock.h"
#include "primitives/peers/tbb_queuing_mutex.h"

namespace lockbench {

// Calls visit.operator()<Base>(name, origin) for every base lock; the first one is the default.
template <class Visit>
void for_each_base_lock(Visit visit) {
  visit.template operator()<AdaptiveMutex>("adaptive", "lockbench");
  visit.template operator()<FutexMutex>("futex", "lockbench");
  visit.template operator()<std::mutex>("std", "C++ library");
  visit.template operator()<AbslMutex>("absl", "Abseil");
  visit.template operator()<tbb::mutex>("tbb", "oneTBB");
  visit.template operator()<tbb::spin_mutex>("tbb_spin", "oneTBB");
  visit.template operator()<TbbQueuingMutex>("tbb_queuing", "oneTBB");
  visit.template operator()<PthreadSpinlock>("pthread_spin", "POSIX");
}

}  // namespace lockbench
