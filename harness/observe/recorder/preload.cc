// SPDX-License-Identifier: Apache-2.0

// liblockbench_observe.so: the functions of locks of POSIX and C11, which record and then do what
// the C library's functions do. `lockbench observe` has the loader put it before the C library.
//
// A function that may wait first tries: a wait is an acquisition whose try failed. The program sees
// the results, and the value of errno, that it would see otherwise.
//
// It is linked with the C library alone, so that a program in C does not load the C++ library.
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include "harness/observe/primitives/internal/observer.h"
#include "harness/observe/recorder/original.h"
#include "harness/observe/recorder/pauses.h"
#include "harness/observe/recorder/process_life.h"
#include "harness/observe/recorder/recorder.h"
#include "harness/observe/recorder/thread_record.h"

namespace lockbench::observe {
namespace {

// A lock of another library's constructor is used before this; it is not recorded until then.
[[gnu::constructor(101)]] void begin() {
  const int error = errno;
  if (const char* const path = std::getenv(kRecordingVariable)) {
    begin_recording(path);
    watch_ends_of_threads([](void*) { thread_ends(); });
    pthread_atfork(nullptr, nullptr, begin_in_child);
  }
  errno = error;
}

bool is_acquired(int result) {
  return result == 0 || result == EOWNERDEAD;
}

// `attempt` is the try, which has failed with `refused` if the lock is somebody's; `wait` waits.
template <class Attempt, class WaitFor>
int acquire(const Request& request, int refused, Attempt attempt, WaitFor wait_for) {
  before_acquisition();
  const int tried = attempt();
  if (is_acquired(tried)) [[likely]] {
    acquired(request);
    return tried;
  }
  // Another error is the waiting function's to report: its own may differ.
  if (tried != refused) return wait_for();
  const std::uint64_t since = wait_begins(request);
  const int result = wait_for();
  wait_ends(request, since, is_acquired(result));
  return result;
}

template <class Attempt>
int try_only(Request request, int refused, Attempt attempt) {
  request.waits = false;
  before_acquisition();
  const int result = attempt();
  if (is_acquired(result)) {
    acquired(request);
  } else if (result == refused) {
    try_failed(request.lock);
  }
  return result;
}

template <class WaitFor>
int wait_for_condition(const void* condition, const Request& mutex, WaitFor wait_for) {
  const ConditionWait wait = condition_wait_begins(condition, mutex);
  const int result = wait_for();
  // After an error in the arguments the mutex was never released: it is held either way.
  condition_wait_ends(condition, mutex, wait, result == 0);
  return result;
}

// `woken`: what it returns, beside 0, if other threads ended the wait.
template <class WaitFor>
int wait_for_event(WaitFor wait_for, int woken = 0) {
  const std::uint64_t since = event_wait_begins();
  const int result = wait_for();
  event_wait_ends(since, result == 0 || result == woken);
  return result;
}

// A thread that begins while there are pauses. Beyond so many that begin at once, a thread begins
// its record with its first lock. `Result`: void* of POSIX's threads, int of C11's.
template <class Result>
struct NewThread {
  using Routine = Result (*)(void*);

  std::atomic<bool> is_used;
  Routine routine;
  void* argument;
  std::uint64_t pauses_ns;

  static NewThread* note(Routine routine, void* argument) {
    static constinit std::array<NewThread, 256> all{};
    for (NewThread& one : all) {
      // acquire: the thread that had it has read it.
      if (one.is_used.exchange(true, std::memory_order_acquire)) continue;
      one.routine = routine;
      one.argument = argument;
      one.pauses_ns = thread_starts_another();
      return &one;
    }
    return nullptr;
  }

  // release: for the next one that notes a thread here.
  void free() { is_used.store(false, std::memory_order_release); }

  static Result run(void* noted) {
    auto& one = *static_cast<NewThread*>(noted);
    const Routine routine = one.routine;
    void* const argument = one.argument;
    const std::uint64_t pauses_ns = one.pauses_ns;
    one.free();
    thread_begins(pauses_ns);
    return routine(argument);
  }
};

// `create` starts a thread with a routine and its argument; it returns 0 if there is one.
template <class Result, class Create>
int start_thread(Result (*routine)(void*), void* argument, Create create) {
  auto* const noted = some_pause() ? NewThread<Result>::note(routine, argument) : nullptr;
  if (noted == nullptr) return create(routine, argument);
  const int result = create(NewThread<Result>::run, noted);
  if (result != 0) noted->free();
  return result;
}

// The functions of semaphores return -1 and set errno. A success leaves errno alone.
template <class Wait>
int semaphore_result(Wait wait) {
  const int before = errno;
  if (wait() != 0) return errno;
  errno = before;
  return 0;
}
int semaphore_return(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

}  // namespace
}  // namespace lockbench::observe

using lockbench::observe::Access;
using lockbench::observe::acquire;
using lockbench::observe::LockKind;
using lockbench::observe::released;
using lockbench::observe::Request;
using lockbench::observe::semaphore_result;
using lockbench::observe::semaphore_return;
using lockbench::observe::start_thread;
using lockbench::observe::try_only;
using lockbench::observe::wait_for_condition;
using lockbench::observe::wait_for_event;

// The place is the caller of the exported function, so the address is taken there.
#define LOCKBENCH_REQUEST(lock_, kind_, access_)                                                 \
  Request {                                                                                      \
    .lock = (lock_), .caller = __builtin_return_address(0), .kind = (kind_), .access = (access_) \
  }
#define LOCKBENCH_MUTEX(lock) LOCKBENCH_REQUEST(lock, LockKind::kMutex, Access::kExclusive)
#define LOCKBENCH_READ(lock) LOCKBENCH_REQUEST(lock, LockKind::kShared, Access::kShared)
#define LOCKBENCH_WRITE(lock) LOCKBENCH_REQUEST(lock, LockKind::kShared, Access::kExclusive)
#define LOCKBENCH_SPIN(lock) LOCKBENCH_REQUEST(lock, LockKind::kSpin, Access::kExclusive)
#define LOCKBENCH_SEMAPHORE(lock) LOCKBENCH_REQUEST(lock, LockKind::kSemaphore, Access::kExclusive)

#define LOCKBENCH_EXPORT extern "C" [[gnu::visibility("default")]] int

// The signatures are POSIX's. clang-format would break the short ones over many lines.
LOCKBENCH_EXPORT pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  return acquire(
      LOCKBENCH_MUTEX(mutex), EBUSY,
      [=] { return LOCKBENCH_ORIGINAL(pthread_mutex_trylock)(mutex); },
      [=] { return LOCKBENCH_ORIGINAL(pthread_mutex_lock)(mutex); });
}

LOCKBENCH_EXPORT pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  return try_only(LOCKBENCH_MUTEX(mutex), EBUSY,
                  [=] { return LOCKBENCH_ORIGINAL(pthread_mutex_trylock)(mutex); });
}

LOCKBENCH_EXPORT pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) noexcept {
  return acquire(
      LOCKBENCH_MUTEX(mutex), EBUSY,
      [=] { return LOCKBENCH_ORIGINAL(pthread_mutex_trylock)(mutex); },
      [=] { return LOCKBENCH_ORIGINAL(pthread_mutex_timedlock)(mutex, until); });
}

LOCKBENCH_EXPORT pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                         const timespec* until) noexcept {
  return acquire(
      LOCKBENCH_MUTEX(mutex), EBUSY,
      [=] { return LOCKBENCH_ORIGINAL(pthread_mutex_trylock)(mutex); },
      [=] { return LOCKBENCH_ORIGINAL(pthread_mutex_clocklock)(mutex, clock, until); });
}

LOCKBENCH_EXPORT pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  released(mutex, __builtin_return_address(0));
  return LOCKBENCH_ORIGINAL(pthread_mutex_unlock)(mutex);
}

LOCKBENCH_EXPORT pthread_mutex_init(pthread_mutex_t* mutex,
                                    const pthread_mutexattr_t* attributes) noexcept {
  lockbench::observe::ended(mutex);
  return LOCKBENCH_ORIGINAL(pthread_mutex_init)(mutex, attributes);
}

LOCKBENCH_EXPORT pthread_mutex_destroy(pthread_mutex_t* mutex) noexcept {
  const int result = LOCKBENCH_ORIGINAL(pthread_mutex_destroy)(mutex);
  if (result == 0) lockbench::observe::ended(mutex);
  return result;
}

LOCKBENCH_EXPORT pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  return acquire(
      LOCKBENCH_READ(lock), EBUSY,
      [=] { return LOCKBENCH_ORIGINAL(pthread_rwlock_tryrdlock)(lock); },
      [=] { return LOCKBENCH_ORIGINAL(pthread_rwlock_rdlock)(lock); });
}

LOCKBENCH_EXPORT pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  return try_only(LOCKBENCH_READ(lock), EBUSY,
                  [=] { return LOCKBENCH_ORIGINAL(pthread_rwlock_tryrdlock)(lock); });
}

LOCKBENCH_EXPORT pthread_rwlock_timedrdlock(pthread_rwlock_t* lock,
                                            const timespec* until) noexcept {
  return acquire(
      LOCKBENCH_READ(lock), EBUSY,
      [=] { return LOCKBENCH_ORIGINAL(pthread_rwlock_tryrdlock)(lock); },
      [=] { return LOCKBENCH_ORIGINAL(pthread_rwlock_timedrdlock)(lock, until); });
}

LOCKBENCH_EXPORT pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                            const timespec* until) noexcept {
  return acquire(
      LOCKBENCH_READ(lock), EBUSY,
      [=] { return LOCKBENCH_ORIGINAL(pthread_rwlock_tryrdlock)(lock); },
      [=] { return LOCKBENCH_ORIGINAL(pthread_rwlock_clockrdlock)(lock, clock, until); });
}

LOCKBENCH_EXPORT pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  return acquire(
      LOCKBENCH_WRITE(lock), EBUSY,
      [=] { return LOCKBENCH_ORIGINAL(pthread_rwlock_trywrlock)(lock); },
      [=] { return LOCKBENCH_ORIGINAL(pthread_rwlock_wrlock)(lock); });
}

LOCKBENCH_EXPORT pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  return try_only(LOCKBENCH_WRITE(lock), EBUSY,
                  [=] { return LOCKBENCH_ORIGINAL(pthread_rwlock_trywrlock)(lock); });
}

LOCKBENCH_EXPORT pthread_rwlock_timedwrlock(pthread_rwlock_t* lock,
                                            const timespec* until) noexcept {
  return acquire(
      LOCKBENCH_WRITE(lock), EBUSY,
      [=] { return LOCKBENCH_ORIGINAL(pthread_rwlock_trywrlock)(lock); },
      [=] { return LOCKBENCH_ORIGINAL(pthread_rwlock_timedwrlock)(lock, until); });
}

LOCKBENCH_EXPORT pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                            const timespec* until) noexcept {
  return acquire(
      LOCKBENCH_WRITE(lock), EBUSY,
      [=] { return LOCKBENCH_ORIGINAL(pthread_rwlock_trywrlock)(lock); },
      [=] { return LOCKBENCH_ORIGINAL(pthread_rwlock_clockwrlock)(lock, clock, until); });
}

LOCKBENCH_EXPORT pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  released(lock, __builtin_return_address(0));
  return LOCKBENCH_ORIGINAL(pthread_rwlock_unlock)(lock);
}

LOCKBENCH_EXPORT pthread_rwlock_init(pthread_rwlock_t* lock,
                                     const pthread_rwlockattr_t* attributes) noexcept {
  lockbench::observe::ended(lock);
  return LOCKBENCH_ORIGINAL(pthread_rwlock_init)(lock, attributes);
}

LOCKBENCH_EXPORT pthread_rwlock_destroy(pthread_rwlock_t* lock) noexcept {
  const int result = LOCKBENCH_ORIGINAL(pthread_rwlock_destroy)(lock);
  if (result == 0) lockbench::observe::ended(lock);
  return result;
}

LOCKBENCH_EXPORT pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  return acquire(
      LOCKBENCH_SPIN(const_cast<int*>(lock)), EBUSY,
      [=] { return LOCKBENCH_ORIGINAL(pthread_spin_trylock)(lock); },
      [=] { return LOCKBENCH_ORIGINAL(pthread_spin_lock)(lock); });
}

LOCKBENCH_EXPORT pthread_spin_trylock(pthread_spinlock_t* lock) noexcept {
  return try_only(LOCKBENCH_SPIN(const_cast<int*>(lock)), EBUSY,
                  [=] { return LOCKBENCH_ORIGINAL(pthread_spin_trylock)(lock); });
}

LOCKBENCH_EXPORT pthread_spin_unlock(pthread_spinlock_t* lock) noexcept {
  released(const_cast<int*>(lock), __builtin_return_address(0));
  return LOCKBENCH_ORIGINAL(pthread_spin_unlock)(lock);
}

LOCKBENCH_EXPORT pthread_spin_init(pthread_spinlock_t* lock, int shared) noexcept {
  lockbench::observe::ended(const_cast<int*>(lock));
  return LOCKBENCH_ORIGINAL(pthread_spin_init)(lock, shared);
}

LOCKBENCH_EXPORT pthread_spin_destroy(pthread_spinlock_t* lock) noexcept {
  const int result = LOCKBENCH_ORIGINAL(pthread_spin_destroy)(lock);
  if (result == 0) lockbench::observe::ended(const_cast<int*>(lock));
  return result;
}

LOCKBENCH_EXPORT pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  return wait_for_condition(condition, LOCKBENCH_MUTEX(mutex), [=] {
    return LOCKBENCH_ORIGINAL(pthread_cond_wait)(condition, mutex);
  });
}

LOCKBENCH_EXPORT pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                        const timespec* until) {
  return wait_for_condition(condition, LOCKBENCH_MUTEX(mutex), [=] {
    return LOCKBENCH_ORIGINAL(pthread_cond_timedwait)(condition, mutex, until);
  });
}

LOCKBENCH_EXPORT pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                        clockid_t clock, const timespec* until) {
  return wait_for_condition(condition, LOCKBENCH_MUTEX(mutex), [=] {
    return LOCKBENCH_ORIGINAL(pthread_cond_clockwait)(condition, mutex, clock, until);
  });
}

LOCKBENCH_EXPORT sem_wait(sem_t* semaphore) {
  return semaphore_return(acquire(
      LOCKBENCH_SEMAPHORE(semaphore), EAGAIN,
      [=] { return semaphore_result([=] { return LOCKBENCH_ORIGINAL(sem_trywait)(semaphore); }); },
      [=] { return semaphore_result([=] { return LOCKBENCH_ORIGINAL(sem_wait)(semaphore); }); }));
}

LOCKBENCH_EXPORT sem_trywait(sem_t* semaphore) noexcept {
  return semaphore_return(try_only(LOCKBENCH_SEMAPHORE(semaphore), EAGAIN, [=] {
    return semaphore_result([=] { return LOCKBENCH_ORIGINAL(sem_trywait)(semaphore); });
  }));
}

LOCKBENCH_EXPORT sem_timedwait(sem_t* semaphore, const timespec* until) {
  return semaphore_return(acquire(
      LOCKBENCH_SEMAPHORE(semaphore), EAGAIN,
      [=] { return semaphore_result([=] { return LOCKBENCH_ORIGINAL(sem_trywait)(semaphore); }); },
      [=] {
        return semaphore_result(
            [=] { return LOCKBENCH_ORIGINAL(sem_timedwait)(semaphore, until); });
      }));
}

LOCKBENCH_EXPORT sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  return semaphore_return(acquire(
      LOCKBENCH_SEMAPHORE(semaphore), EAGAIN,
      [=] { return semaphore_result([=] { return LOCKBENCH_ORIGINAL(sem_trywait)(semaphore); }); },
      [=] {
        return semaphore_result(
            [=] { return LOCKBENCH_ORIGINAL(sem_clockwait)(semaphore, clock, until); });
      }));
}

LOCKBENCH_EXPORT sem_post(sem_t* semaphore) noexcept {
  // Before it is posted: the thread that waits for it may destroy it.
  lockbench::observe::semaphore_posted(semaphore);
  return LOCKBENCH_ORIGINAL(sem_post)(semaphore);
}

LOCKBENCH_EXPORT sem_init(sem_t* semaphore, int shared, unsigned value) noexcept {
  lockbench::observe::ended(semaphore);
  return LOCKBENCH_ORIGINAL(sem_init)(semaphore, shared, value);
}

LOCKBENCH_EXPORT pthread_cond_signal(pthread_cond_t* condition) noexcept {
  lockbench::observe::condition_signalled(condition);
  return LOCKBENCH_ORIGINAL(pthread_cond_signal)(condition);
}

LOCKBENCH_EXPORT pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  lockbench::observe::condition_signalled(condition);
  return LOCKBENCH_ORIGINAL(pthread_cond_broadcast)(condition);
}

LOCKBENCH_EXPORT pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                void* (*routine)(void*), void* argument) noexcept {
  return start_thread(routine, argument, [=](void* (*runs)(void*), void* with) {
    return LOCKBENCH_ORIGINAL(pthread_create)(thread, attributes, runs, with);
  });
}

LOCKBENCH_EXPORT pthread_join(pthread_t thread, void** result) {
  return wait_for_event([=] { return LOCKBENCH_ORIGINAL(pthread_join)(thread, result); });
}

LOCKBENCH_EXPORT pthread_timedjoin_np(pthread_t thread, void** result, const timespec* until) {
  return wait_for_event(
      [=] { return LOCKBENCH_ORIGINAL(pthread_timedjoin_np)(thread, result, until); });
}

LOCKBENCH_EXPORT pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock,
                                      const timespec* until) {
  return wait_for_event(
      [=] { return LOCKBENCH_ORIGINAL(pthread_clockjoin_np)(thread, result, clock, until); });
}

LOCKBENCH_EXPORT pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  return wait_for_event([=] { return LOCKBENCH_ORIGINAL(pthread_barrier_wait)(barrier); },
                        PTHREAD_BARRIER_SERIAL_THREAD);
}

// C11's. The C library's own do not call POSIX's by their exported names.
LOCKBENCH_EXPORT mtx_lock(mtx_t* mutex) {
  return acquire(
      LOCKBENCH_MUTEX(mutex), thrd_busy, [=] { return LOCKBENCH_ORIGINAL(mtx_trylock)(mutex); },
      [=] { return LOCKBENCH_ORIGINAL(mtx_lock)(mutex); });
}

LOCKBENCH_EXPORT mtx_trylock(mtx_t* mutex) {
  return try_only(LOCKBENCH_MUTEX(mutex), thrd_busy,
                  [=] { return LOCKBENCH_ORIGINAL(mtx_trylock)(mutex); });
}

LOCKBENCH_EXPORT mtx_timedlock(mtx_t* mutex, const timespec* until) {
  return acquire(
      LOCKBENCH_MUTEX(mutex), thrd_busy, [=] { return LOCKBENCH_ORIGINAL(mtx_trylock)(mutex); },
      [=] { return LOCKBENCH_ORIGINAL(mtx_timedlock)(mutex, until); });
}

LOCKBENCH_EXPORT mtx_unlock(mtx_t* mutex) {
  released(mutex, __builtin_return_address(0));
  return LOCKBENCH_ORIGINAL(mtx_unlock)(mutex);
}

LOCKBENCH_EXPORT mtx_init(mtx_t* mutex, int type) {
  lockbench::observe::ended(mutex);
  return LOCKBENCH_ORIGINAL(mtx_init)(mutex, type);
}

extern "C" [[gnu::visibility("default")]] void mtx_destroy(mtx_t* mutex) {
  lockbench::observe::ended(mutex);
  LOCKBENCH_ORIGINAL(mtx_destroy)(mutex);
}

LOCKBENCH_EXPORT cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return wait_for_condition(condition, LOCKBENCH_MUTEX(mutex),
                            [=] { return LOCKBENCH_ORIGINAL(cnd_wait)(condition, mutex); });
}

LOCKBENCH_EXPORT cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* until) {
  return wait_for_condition(condition, LOCKBENCH_MUTEX(mutex), [=] {
    return LOCKBENCH_ORIGINAL(cnd_timedwait)(condition, mutex, until);
  });
}

LOCKBENCH_EXPORT cnd_signal(cnd_t* condition) {
  lockbench::observe::condition_signalled(condition);
  return LOCKBENCH_ORIGINAL(cnd_signal)(condition);
}

LOCKBENCH_EXPORT cnd_broadcast(cnd_t* condition) {
  lockbench::observe::condition_signalled(condition);
  return LOCKBENCH_ORIGINAL(cnd_broadcast)(condition);
}

LOCKBENCH_EXPORT thrd_create(thrd_t* thread, thrd_start_t routine, void* argument) {
  static_assert(thrd_success == 0);
  return start_thread(routine, argument, [=](thrd_start_t runs, void* with) {
    return LOCKBENCH_ORIGINAL(thrd_create)(thread, runs, with);
  });
}

LOCKBENCH_EXPORT thrd_join(thrd_t thread, int* result) {
  return wait_for_event([=] { return LOCKBENCH_ORIGINAL(thrd_join)(thread, result); });
}

// For locks that the program makes itself: <lockbench/observed.h>.
namespace lockbench::observe {
namespace {

Request request_of(const void* lock, const void* caller) {
  return {.lock = lock, .caller = caller, .kind = LockKind::kMutex};
}

constexpr lockbench::internal::Observer kObserver{
    .acquired = [](const void* lock,
                   const void* caller) { told_acquired(request_of(lock, caller)); },
    .wait_begins =
        [](const void* lock, const void* caller) {
          return lockbench::internal::Observer::Wait{
              .since = told_wait_begins(request_of(lock, caller)), .place = nullptr};
        },
    .wait_ends =
        [](const void* lock, const void* caller, lockbench::internal::Observer::Wait wait) {
          told_wait_ends(request_of(lock, caller), wait.since);
        },
    .try_failed = try_failed,
    .released = [](const void* lock) { released(lock, __builtin_return_address(0)); },
    .ended = ended,
    .enters = told_enters,
    .leaves = told_leaves,
};

}  // namespace
}  // namespace lockbench::observe

extern "C" [[gnu::visibility("default")]] const lockbench::internal::Observer lockbench_observer =
    lockbench::observe::kObserver;
