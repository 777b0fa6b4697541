/* SPDX-License-Identifier: Apache-2.0 */

/* A lock in C: a flag in a loop, and POSIX's mutexes, one of 64 chosen by the key. */
#include <lockbench/c_lock.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

static void* spin_create(void) { return calloc(1, sizeof(atomic_flag)); }
static int spin_try(void* self) {
  return !atomic_flag_test_and_set_explicit((atomic_flag*)self, memory_order_acquire);
}
static void spin_lock(void* self) {
  while (!spin_try(self)) sched_yield();
}
static void spin_unlock(void* self) {
  atomic_flag_clear_explicit((atomic_flag*)self, memory_order_release);
}

enum { kStripes = 64 };

static void* stripes_create(void) {
  pthread_mutex_t* const stripes = calloc(kStripes, sizeof *stripes);
  for (int i = 0; stripes != NULL && i < kStripes; ++i) pthread_mutex_init(&stripes[i], NULL);
  return stripes;
}
static pthread_mutex_t* stripe_of(void* self, uint64_t key) {
  return (pthread_mutex_t*)self + key % kStripes;
}
static void stripes_lock(void* self, uint64_t key) { pthread_mutex_lock(stripe_of(self, key)); }
static int stripes_try(void* self, uint64_t key) {
  return pthread_mutex_trylock(stripe_of(self, key)) == 0;
}
static void stripes_unlock(void* self, uint64_t key) { pthread_mutex_unlock(stripe_of(self, key)); }

static const lockbench_c_lock locks[] = {
    {.size = sizeof(lockbench_c_lock),
     .name = "c_spin",
     .summary = "a flag in a loop",
     .create = spin_create,
     .lock = spin_lock,
     .try_lock = spin_try,
     .unlock = spin_unlock,
     .destroy = free},
    {.size = sizeof(lockbench_c_lock),
     .name = "c_stripes",
     .summary = "64 POSIX mutexes, by the remainder of the key",
     .create = stripes_create,
     .destroy = free,
     .lock_key = stripes_lock,
     .try_lock_key = stripes_try,
     .unlock_key = stripes_unlock},
};

const lockbench_c_plugin lockbench_c_locks = {LOCKBENCH_C_MAGIC, LOCKBENCH_C_VERSION,
                                              sizeof(lockbench_c_lock),
                                              sizeof locks / sizeof locks[0], locks};
