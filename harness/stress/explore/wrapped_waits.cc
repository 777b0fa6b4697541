// SPDX-License-Identifier: Apache-2.0

// Calls of the system's library that wait, beside mutexes and condition variables: semaphores,
// locks for readers and writers, spin locks, threads; and a thread's own values. As
// wrapped_calls.cc has the others: without a simulation each is the library's own.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <climits>

#include "harness/stress/explore/simulated_waits.h"
#include "harness/stress/explore/world.h"
#include "primitives/platform/simulated/hooks.h"

namespace {

using lockbench::stress::explore::World;
namespace simulated = lockbench::platform::simulated;
using namespace lockbench::stress::explore::waits;

bool in_program() {
  return World::of_program() != nullptr;
}

// ---- a semaphore: how often it can be had, in its first four bytes

bool try_take(void* semaphore) {
  return update(semaphore, std::memory_order_acquire,
                [](std::uint32_t count) { return count == 0 ? 0 : count - 1; }) != 0;
}

int take_until(void* semaphore, std::int64_t deadline_ns) {
  while (!try_take(semaphore)) {
    if (simulated::wait(semaphore, 0, deadline_ns)) continue;
    errno = ETIMEDOUT;
    return -1;
  }
  return 0;
}

// ---- readers and a writer: how many read, or the highest number; in its first four bytes

constexpr std::uint32_t kWritten = UINT32_MAX;

bool try_read(void* word) {
  return update(word, std::memory_order_acquire,
                [](std::uint32_t old) { return old == kWritten ? old : old + 1; }) != kWritten;
}

bool try_write(void* word) {
  return update(word, std::memory_order_acquire,
                [](std::uint32_t old) { return old == 0 ? kWritten : old; }) == 0;
}

int read_until(void* word, std::int64_t deadline_ns) {
  while (!try_read(word)) {
    if (!simulated::wait(word, kWritten, deadline_ns)) return ETIMEDOUT;
  }
  return 0;
}

int write_until(void* word, std::int64_t deadline_ns) {
  while (!try_write(word)) {
    const std::uint32_t seen = load(word);
    if (seen != 0 && !simulated::wait(word, seen, deadline_ns)) return ETIMEDOUT;
  }
  return 0;
}

void leave(void* word) {
  const std::uint32_t old = update(word, std::memory_order_release, [](std::uint32_t seen) {
    return seen == kWritten ? 0 : seen - 1;
  });
  if (old == kWritten || old == 1) simulated::wake(word, INT_MAX);
}

// ---- a thread's own values

using Values = std::map<pthread_key_t, const void*>;

Values& values() {
  return *static_cast<Values*>(simulated::of_this_thread([]() -> void* { return new Values(); }));
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming)

// Private to std::thread, and what its constructor calls. The second argument is passed by value,
// which at this boundary is its address.
extern "C" void start_of_library(std::thread*, std::thread::_State_ptr*, void (*)()) asm(
    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE");

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-declarations"
#pragma GCC visibility push(default)
extern "C" {

int __wrap_sem_wait(sem_t* semaphore) {
  return in_program() ? take_until(semaphore, kNever) : sem_wait(semaphore);
}
int __wrap_sem_trywait(sem_t* semaphore) {
  if (!in_program()) return sem_trywait(semaphore);
  if (try_take(semaphore)) return 0;
  errno = EAGAIN;
  return -1;
}
int __wrap_sem_timedwait(sem_t* semaphore, const timespec* until) {
  return in_program() ? take_until(semaphore, ns_of(until)) : sem_timedwait(semaphore, until);
}
int __wrap_sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  return in_program() ? take_until(semaphore, ns_of(until))
                      : sem_clockwait(semaphore, clock, until);
}
int __wrap_sem_post(sem_t* semaphore) {
  if (!in_program()) return sem_post(semaphore);
  update(semaphore, std::memory_order_release, [](std::uint32_t count) { return count + 1; });
  simulated::wake(semaphore, 1);
  return 0;
}
int __wrap_sem_getvalue(sem_t* semaphore, int* value) {
  if (!in_program()) return sem_getvalue(semaphore, value);
  *value = static_cast<int>(load(semaphore));
  return 0;
}

int __wrap_pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  return in_program() ? read_until(lock, kNever) : pthread_rwlock_rdlock(lock);
}
int __wrap_pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  return in_program() ? write_until(lock, kNever) : pthread_rwlock_wrlock(lock);
}
int __wrap_pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
  if (!in_program()) return pthread_rwlock_tryrdlock(lock);
  return try_read(lock) ? 0 : EBUSY;
}
int __wrap_pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
  if (!in_program()) return pthread_rwlock_trywrlock(lock);
  return try_write(lock) ? 0 : EBUSY;
}
int __wrap_pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* until) {
  return in_program() ? read_until(lock, ns_of(until)) : pthread_rwlock_timedrdlock(lock, until);
}
int __wrap_pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* until) {
  return in_program() ? write_until(lock, ns_of(until)) : pthread_rwlock_timedwrlock(lock, until);
}
int __wrap_pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                      const timespec* until) {
  return in_program() ? read_until(lock, ns_of(until))
                      : pthread_rwlock_clockrdlock(lock, clock, until);
}
int __wrap_pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                      const timespec* until) {
  return in_program() ? write_until(lock, ns_of(until))
                      : pthread_rwlock_clockwrlock(lock, clock, until);
}
int __wrap_pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  if (!in_program()) return pthread_rwlock_unlock(lock);
  leave(lock);
  return 0;
}

int __wrap_pthread_spin_lock(pthread_spinlock_t* lock) {
  if (!in_program()) return pthread_spin_lock(lock);
  while (!try_lock(const_cast<int*>(lock))) simulated::pause();
  return 0;
}
int __wrap_pthread_spin_trylock(pthread_spinlock_t* lock) {
  if (!in_program()) return pthread_spin_trylock(lock);
  return try_lock(const_cast<int*>(lock)) ? 0 : EBUSY;
}
int __wrap_pthread_spin_unlock(pthread_spinlock_t* lock) {
  if (!in_program()) return pthread_spin_unlock(lock);
  simulated::store(met(const_cast<int*>(lock)), 4, 0, std::memory_order_release);
  return 0;
}

// ---- threads

pthread_t __wrap_pthread_self() {
  return in_program() ? handle_of(simulated::thread_number()) : pthread_self();
}
pid_t __wrap_gettid() {
  return in_program() ? task_of(simulated::thread_number()) : gettid();
}
int __wrap_sched_getcpu() {
  return in_program() ? static_cast<int>(simulated::thread_number() % 2) : sched_getcpu();
}

int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                          void* argument) {
  if (!in_program()) return pthread_create(thread, attributes, body, argument);
  *thread = handle_of(simulated::start([=] { body(argument); }) + 1);
  return 0;
}
int __wrap_pthread_join(pthread_t thread, void** result) {
  if (!in_program()) return pthread_join(thread, result);
  simulated::join(number_of_handle(thread) - 1);
  if (result != nullptr) *result = nullptr;
  return 0;
}
int __wrap_pthread_detach(pthread_t thread) {
  return in_program() ? 0 : pthread_detach(thread);
}

// std::thread's functions that lie in the library. Its one member is the library's handle.
void __wrap__ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(
    std::thread* thread, std::thread::_State_ptr* state, void (*depend)()) {
  if (!in_program()) return start_of_library(thread, state, depend);
  std::thread::_State* const body = state->release();
  const std::uint32_t number = simulated::start([body] {
    body->_M_run();
    delete body;
  });
  *reinterpret_cast<pthread_t*>(thread) = handle_of(number + 1);
}
void __wrap__ZNSt6thread4joinEv(std::thread* thread) {
  if (!in_program()) return thread->join();
  simulated::join(number_of_handle(thread->native_handle()) - 1);
  *reinterpret_cast<pthread_t*>(thread) = 0;
}
void __wrap__ZNSt6thread6detachEv(std::thread* thread) {
  if (!in_program()) return thread->detach();
  *reinterpret_cast<pthread_t*>(thread) = 0;
}

void* __wrap_pthread_getspecific(pthread_key_t key) {
  if (!in_program()) return pthread_getspecific(key);
  return const_cast<void*>(values()[key]);
}
int __wrap_pthread_setspecific(pthread_key_t key, const void* value) {
  if (!in_program()) return pthread_setspecific(key, value);
  values()[key] = value;
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop
#pragma GCC diagnostic pop
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
