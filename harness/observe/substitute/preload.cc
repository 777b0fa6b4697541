// SPDX-License-Identifier: Apache-2.0

// liblockbench_substitute_LOCK.so: the pthread functions of mutexes and condition variables, with a
// base lock in the place of the C library's mutex. `lockbench substitute` has the loader put it
// before the C library. LOCKBENCH_BASE_HEADER and LOCKBENCH_BASE_LOCK say which lock.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>

#include LOCKBENCH_BASE_HEADER
#include "harness/observe/recorder/original.h"
#include "harness/observe/substitute/chosen_places.h"
#include "harness/observe/substitute/substituted_mutex.h"

namespace lockbench {
namespace {

using Mutex = SubstitutedMutex<LOCKBENCH_BASE_LOCK>;

// Read when the first mutex is acquired, which may be before main().
const ChosenPlaces& chosen_places() {
  static const ChosenPlaces places;
  return places;
}

// True if the C library's functions are to be used, for a first acquisition by this caller.
bool is_native(Mutex& mutex, const void* caller) {
  if (mutex.is_native()) return true;
  const ChosenPlaces& places = chosen_places();
  return !places.all() && !mutex.is_chosen([&] { return places.contain(caller); });
}
// The same of a mutex that has been acquired, or else does not matter.
bool is_native(Mutex& mutex) {
  return mutex.is_native() || (!chosen_places().all() && !mutex.is_chosen());
}

struct WaitEnd {
  pthread_mutex_t* mutex;
  SubstitutedCondition* condition;
  int error;  // of the mutex
};

// After a wait, and also if the thread was cancelled meanwhile.
void end_wait(void* wait) {
  auto& end = *static_cast<WaitEnd*>(wait);
  end.condition->end_wait();
  end.error = pthread_mutex_lock(end.mutex);
}

// Cancellation takes effect during the wait, and only then.
int sleep_cancellably(SubstitutedCondition& condition, std::uint32_t seen,
                      const Deadline& deadline) {
  int usual = 0;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &usual);
  const int result = condition.sleep(seen, deadline);
  pthread_setcanceltype(usual, nullptr);
  return result;
}

int wait_for(pthread_cond_t* words, pthread_mutex_t* mutex, const Deadline& deadline) {
  SubstitutedCondition condition(*words);
  if (!deadline.valid()) return EINVAL;
  const std::uint32_t seen = condition.begin_wait();
  int result = pthread_mutex_unlock(mutex);
  if (result != 0) {
    condition.end_wait();
    return result;
  }
  WaitEnd end{.mutex = mutex, .condition = &condition, .error = 0};
  pthread_cleanup_push(end_wait, &end);
  result = sleep_cancellably(condition, seen, deadline);
  pthread_cleanup_pop(1);
  return end.error != 0 ? end.error : result;  // EOWNERDEAD of a robust mutex
}

// A condition variable that processes share works with a mutex that they share. Such a mutex is
// never substituted.
bool is_native(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  if (!SubstitutedCondition(*condition).is_native()) return false;
  Mutex its_mutex(*mutex);
  if (is_native(its_mutex)) return true;
  std::fputs(
      "lockbench substitute: a condition variable that processes share is used with a mutex that "
      "they do not share; this program's locks cannot be substituted\n",
      stderr);
  std::abort();
}

}  // namespace
}  // namespace lockbench

using lockbench::Deadline;
using lockbench::is_native;
using lockbench::Mutex;
using lockbench::SubstitutedCondition;

#define LOCKBENCH_EXPORT extern "C" [[gnu::visibility("default")]] int

LOCKBENCH_EXPORT pthread_mutex_lock(pthread_mutex_t* words) noexcept {
  Mutex mutex(*words);
  if (is_native(mutex, __builtin_return_address(0)))
    return LOCKBENCH_ORIGINAL(pthread_mutex_lock)(words);
  return mutex.lock({});
}

LOCKBENCH_EXPORT pthread_mutex_trylock(pthread_mutex_t* words) noexcept {
  Mutex mutex(*words);
  if (is_native(mutex, __builtin_return_address(0)))
    return LOCKBENCH_ORIGINAL(pthread_mutex_trylock)(words);
  return mutex.try_lock();
}

LOCKBENCH_EXPORT pthread_mutex_timedlock(pthread_mutex_t* words, const timespec* until) noexcept {
  Mutex mutex(*words);
  if (is_native(mutex, __builtin_return_address(0)))
    return LOCKBENCH_ORIGINAL(pthread_mutex_timedlock)(words, until);
  return mutex.lock({.clock = CLOCK_REALTIME, .time = until});
}

LOCKBENCH_EXPORT pthread_mutex_clocklock(pthread_mutex_t* words, clockid_t clock,
                                         const timespec* until) noexcept {
  Mutex mutex(*words);
  if (is_native(mutex, __builtin_return_address(0)))
    return LOCKBENCH_ORIGINAL(pthread_mutex_clocklock)(words, clock, until);
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
  return mutex.lock({.clock = clock, .time = until});
}

LOCKBENCH_EXPORT pthread_mutex_unlock(pthread_mutex_t* words) noexcept {
  Mutex mutex(*words);
  if (is_native(mutex)) return LOCKBENCH_ORIGINAL(pthread_mutex_unlock)(words);
  return mutex.unlock();
}

LOCKBENCH_EXPORT pthread_mutex_destroy(pthread_mutex_t* words) noexcept {
  Mutex mutex(*words);
  if (!is_native(mutex) && !mutex.is_free()) return EBUSY;
  return LOCKBENCH_ORIGINAL(pthread_mutex_destroy)(words);
}

LOCKBENCH_EXPORT pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  if (lockbench::is_native(condition, mutex)) {
    return LOCKBENCH_ORIGINAL(pthread_cond_wait)(condition, mutex);
  }
  return lockbench::wait_for(condition, mutex, {});
}

LOCKBENCH_EXPORT pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                        const timespec* until) {
  if (lockbench::is_native(condition, mutex)) {
    return LOCKBENCH_ORIGINAL(pthread_cond_timedwait)(condition, mutex, until);
  }
  return lockbench::wait_for(condition, mutex,
                             {.clock = SubstitutedCondition(*condition).clock(), .time = until});
}

LOCKBENCH_EXPORT pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                        clockid_t clock, const timespec* until) {
  if (lockbench::is_native(condition, mutex)) {
    return LOCKBENCH_ORIGINAL(pthread_cond_clockwait)(condition, mutex, clock, until);
  }
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return EINVAL;
  return lockbench::wait_for(condition, mutex, {.clock = clock, .time = until});
}

LOCKBENCH_EXPORT pthread_cond_signal(pthread_cond_t* words) noexcept {
  SubstitutedCondition condition(*words);
  if (condition.is_native()) return LOCKBENCH_ORIGINAL(pthread_cond_signal)(words);
  condition.wake(1);
  return 0;
}

LOCKBENCH_EXPORT pthread_cond_broadcast(pthread_cond_t* words) noexcept {
  SubstitutedCondition condition(*words);
  if (condition.is_native()) return LOCKBENCH_ORIGINAL(pthread_cond_broadcast)(words);
  condition.wake(INT_MAX);
  return 0;
}

LOCKBENCH_EXPORT pthread_cond_destroy(pthread_cond_t* words) noexcept {
  SubstitutedCondition condition(*words);
  if (condition.is_native()) return LOCKBENCH_ORIGINAL(pthread_cond_destroy)(words);
  condition.await_waiters();
  return 0;
}
