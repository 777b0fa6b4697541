/* SPDX-License-Identifier: Apache-2.0 */

/* Locks in C: a flag in a loop; POSIX's mutexes, one of 64 chosen by the key; and, between processes,
 * the kernel's locks of the bytes of a file. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <lockbench/c_lock.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
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

/* Each key is a byte of one file. The lock belongs to the process, and ends with it. `lockbench
 * stress` calls bytes_create() once, before it forks the processes. */
static void* bytes_create(void) { return tmpfile(); }
static void bytes_destroy(void* self) { fclose(self); }
static int bytes_call(void* self, int command, short type, uint64_t key) {
  struct flock byte = {.l_type = type, .l_whence = SEEK_SET, .l_len = 1};
  byte.l_start = (off_t)key;
  while (fcntl(fileno(self), command, &byte) == -1) {
    if (errno == EAGAIN || errno == EACCES) return 0;
    if (errno != EINTR) abort();
  }
  return 1;
}
static void bytes_lock(void* self, uint64_t key) { bytes_call(self, F_SETLKW, F_WRLCK, key); }
static int bytes_try(void* self, uint64_t key) { return bytes_call(self, F_SETLK, F_WRLCK, key); }
static void bytes_unlock(void* self, uint64_t key) { bytes_call(self, F_SETLK, F_UNLCK, key); }

static const lockbench_c_promises between_processes = {
    .size = sizeof(lockbench_c_promises),
    .lock_per_key = 1,
    .processes = 1,
    .limits = {.keys_below = INT64_MAX}, /* the bytes that a file can have */
};

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
    {.size = sizeof(lockbench_c_lock),
     .name = "c_bytes",
     .summary = "between processes: a byte of a file, locked by the kernel",
     .create = bytes_create,
     .destroy = bytes_destroy,
     .lock_key = bytes_lock,
     .try_lock_key = bytes_try,
     .unlock_key = bytes_unlock,
     .promises = &between_processes},
};

const lockbench_c_plugin lockbench_c_locks = {LOCKBENCH_C_MAGIC, LOCKBENCH_C_VERSION,
                                              sizeof(lockbench_c_lock),
                                              sizeof locks / sizeof locks[0], locks};
