/* SPDX-License-Identifier: Apache-2.0 */

/* Locks between processes.
 *
 * The kernel's locks of the bytes of a file, one for each key. The broken ones: one closes the file
 * at each release, and then the kernel releases all locks that the process has of this file, also
 * those of other keys. The other one takes keys that differ in their highest bit alone for one
 * byte.
 *
 * A robust mutex in shared memory. The broken one: whoever gets it from a dead holder by a try does
 * not make it consistent, and after the release nobody can lock it again. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <errno.h>
#include <fcntl.h>
#include <lockbench/c_lock.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kKeys = 16 };

typedef struct {
  char path[sizeof P_tmpdir + 32];
  int files[kKeys]; /* of this process, for each key; -1: not open */
} region;

static void* region_create(void) {
  region* const self = malloc(sizeof *self);
  strcpy(self->path, P_tmpdir "/lockbench-region-XXXXXX");
  close(mkstemp(self->path));
  for (int i = 0; i < kKeys; ++i) self->files[i] = -1;
  return self;
}

static void region_destroy(void* self) {
  unlink(((region*)self)->path);
  free(self);
}

static int region_call(region* self, int command, short type, uint64_t key) {
  struct flock byte = {.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)key, .l_len = 1};
  int* const file = &self->files[key % kKeys];
  if (*file == -1) *file = open(self->path, O_RDWR | O_CLOEXEC);
  while (fcntl(*file, command, &byte) == -1) {
    if (errno == EAGAIN || errno == EACCES) return 0;
    if (errno != EINTR) abort();
  }
  return 1;
}

static void region_lock(void* self, uint64_t key) {
  region_call(self, F_SETLKW, F_WRLCK, key);
}
static int region_try(void* self, uint64_t key) {
  return region_call(self, F_SETLK, F_WRLCK, key);
}
static void region_unlock(void* self, uint64_t key) {
  region_call(self, F_SETLK, F_UNLCK, key);
}

static void region_close(void* self, uint64_t key) {
  region_unlock(self, key);
  close(((region*)self)->files[key % kKeys]);
  ((region*)self)->files[key % kKeys] = -1;
}

static void folded_lock(void* self, uint64_t key) {
  region_lock(self, key & INT64_MAX);
}
static int folded_try(void* self, uint64_t key) {
  return region_try(self, key & INT64_MAX);
}
static void folded_unlock(void* self, uint64_t key) {
  region_unlock(self, key & INT64_MAX);
}

/* A file has no more bytes. */
static const lockbench_c_promises below_the_highest_bit = {.size = sizeof(lockbench_c_promises),
                                                           .lock_per_key = 1,
                                                           .processes = 1,
                                                           .limits = {.keys_below = INT64_MAX}};
static const lockbench_c_promises of_all_keys = {
    .size = sizeof(lockbench_c_promises), .lock_per_key = 1, .processes = 1};

static void* robust_create(void) {
  pthread_mutex_t* const mutex =
      mmap(NULL, sizeof *mutex, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (mutex == MAP_FAILED) return NULL;
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(mutex, &kind);
  pthread_mutexattr_destroy(&kind);
  return mutex;
}
static void robust_destroy(void* self) {
  munmap(self, sizeof(pthread_mutex_t));
}
static void robust_lock(void* self) {
  for (int result = EAGAIN; result != 0; sched_yield()) {
    result = pthread_mutex_lock(self);
    if (result == EOWNERDEAD) result = pthread_mutex_consistent(self);
  }
}
static int robust_try(void* self) {
  const int result = pthread_mutex_trylock(self);
  return result == EOWNERDEAD ? pthread_mutex_consistent(self) == 0 : result == 0;
}
static int inconsistent_try(void* self) {
  const int result = pthread_mutex_trylock(self);
  return result == EOWNERDEAD || result == 0;
}
static void robust_unlock(void* self) {
  pthread_mutex_unlock(self);
}

static const lockbench_c_promises between_processes = {.size = sizeof(lockbench_c_promises),
                                                       .processes = 1};

#define ROBUST(lock_name, what, try_to_lock)                                                       \
  {                                                                                                \
    .size = sizeof(lockbench_c_lock), .name = lock_name, .summary = what, .create = robust_create, \
    .destroy = robust_destroy, .lock = robust_lock, .try_lock = try_to_lock,                       \
    .unlock = robust_unlock, .promises = &between_processes                                        \
  }

#define REGION(lock_name, what, promised, lock, try_to_lock, unlock)                               \
  {                                                                                                \
    .size = sizeof(lockbench_c_lock), .name = lock_name, .summary = what, .create = region_create, \
    .destroy = region_destroy, .lock_key = lock, .try_lock_key = try_to_lock,                      \
    .unlock_key = unlock, .promises = &promised                                                    \
  }

static const lockbench_c_lock locks[] = {
    REGION("region", "a byte of a file for each key", below_the_highest_bit, region_lock,
           region_try, region_unlock),
    REGION("region_closes", "closes the file at each release", below_the_highest_bit, region_lock,
           region_try, region_close),
    REGION("region_folds", "a byte for two keys", of_all_keys, folded_lock, folded_try,
           folded_unlock),
    ROBUST("robust", "a robust mutex", robust_try),
    ROBUST("robust_once", "the same, but useless once a try has inherited it", inconsistent_try),
};

const lockbench_c_plugin lockbench_c_locks = {LOCKBENCH_C_MAGIC, LOCKBENCH_C_VERSION,
                                              sizeof(lockbench_c_lock),
                                              sizeof locks / sizeof locks[0], locks};
