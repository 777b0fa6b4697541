// SPDX-License-Identifier: Apache-2.0

// liblockbench_substitute_LOCK.so of a lock that takes the place of a program's locks for readers
// and writers: the pthread functions of rwlocks. LOCKBENCH_BASE_HEADER and LOCKBENCH_BASE_LOCK say
// which lock. The program's mutexes stay its own.
#include <cerrno>
#include <pthread.h>

#include LOCKBENCH_BASE_HEADER
#include "harness/observe/recorder/original.h"
#include "harness/observe/substitute/chosen_places.h"
#include "harness/observe/substitute/substituted_rwlock.h"

namespace lockbench {
namespace {

using Rwlock = SubstitutedRwlock<LOCKBENCH_BASE_LOCK>;

// Read when the first lock is acquired, which may be before main().
const ChosenPlaces& chosen_places() {
  static const ChosenPlaces places;
  return places;
}

// True if the C library's functions are to be used, for a first acquisition by this caller.
bool is_native(Rwlock& lock, const void* caller) {
  if (lock.is_native()) return true;
  const ChosenPlaces& places = chosen_places();
  return !places.all() && !lock.is_chosen([&] { return places.contain(caller); });
}

bool is_known(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

}  // namespace
}  // namespace lockbench

using lockbench::is_known;
using lockbench::is_native;
using lockbench::Rwlock;

#define LOCKBENCH_EXPORT extern "C" [[gnu::visibility("default")]] int

LOCKBENCH_EXPORT pthread_rwlock_rdlock(pthread_rwlock_t* words) noexcept {
  Rwlock lock(*words);
  if (is_native(lock, __builtin_return_address(0)))
    return LOCKBENCH_ORIGINAL(pthread_rwlock_rdlock)(words);
  return lock.lock_shared({});
}

LOCKBENCH_EXPORT pthread_rwlock_wrlock(pthread_rwlock_t* words) noexcept {
  Rwlock lock(*words);
  if (is_native(lock, __builtin_return_address(0)))
    return LOCKBENCH_ORIGINAL(pthread_rwlock_wrlock)(words);
  return lock.lock({});
}

LOCKBENCH_EXPORT pthread_rwlock_tryrdlock(pthread_rwlock_t* words) noexcept {
  Rwlock lock(*words);
  if (is_native(lock, __builtin_return_address(0)))
    return LOCKBENCH_ORIGINAL(pthread_rwlock_tryrdlock)(words);
  return lock.try_lock_shared();
}

LOCKBENCH_EXPORT pthread_rwlock_trywrlock(pthread_rwlock_t* words) noexcept {
  Rwlock lock(*words);
  if (is_native(lock, __builtin_return_address(0)))
    return LOCKBENCH_ORIGINAL(pthread_rwlock_trywrlock)(words);
  return lock.try_lock();
}

LOCKBENCH_EXPORT pthread_rwlock_timedrdlock(pthread_rwlock_t* words,
                                            const timespec* until) noexcept {
  Rwlock lock(*words);
  if (is_native(lock, __builtin_return_address(0)))
    return LOCKBENCH_ORIGINAL(pthread_rwlock_timedrdlock)(words, until);
  return lock.lock_shared({.clock = CLOCK_REALTIME, .time = until});
}

LOCKBENCH_EXPORT pthread_rwlock_timedwrlock(pthread_rwlock_t* words,
                                            const timespec* until) noexcept {
  Rwlock lock(*words);
  if (is_native(lock, __builtin_return_address(0)))
    return LOCKBENCH_ORIGINAL(pthread_rwlock_timedwrlock)(words, until);
  return lock.lock({.clock = CLOCK_REALTIME, .time = until});
}

LOCKBENCH_EXPORT pthread_rwlock_clockrdlock(pthread_rwlock_t* words, clockid_t clock,
                                            const timespec* until) noexcept {
  Rwlock lock(*words);
  if (is_native(lock, __builtin_return_address(0)))
    return LOCKBENCH_ORIGINAL(pthread_rwlock_clockrdlock)(words, clock, until);
  return is_known(clock) ? lock.lock_shared({.clock = clock, .time = until}) : EINVAL;
}

LOCKBENCH_EXPORT pthread_rwlock_clockwrlock(pthread_rwlock_t* words, clockid_t clock,
                                            const timespec* until) noexcept {
  Rwlock lock(*words);
  if (is_native(lock, __builtin_return_address(0)))
    return LOCKBENCH_ORIGINAL(pthread_rwlock_clockwrlock)(words, clock, until);
  return is_known(clock) ? lock.lock({.clock = clock, .time = until}) : EINVAL;
}

LOCKBENCH_EXPORT pthread_rwlock_unlock(pthread_rwlock_t* words) noexcept {
  Rwlock lock(*words);
  const bool left = !lockbench::chosen_places().all() && !lock.is_chosen();
  if (lock.is_native() || left) return LOCKBENCH_ORIGINAL(pthread_rwlock_unlock)(words);
  return lock.unlock();
}
