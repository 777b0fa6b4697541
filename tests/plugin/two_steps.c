/* SPDX-License-Identifier: Apache-2.0 */

/* A broken lock: it reads that it is free, and takes itself a step later. */
#include <lockbench/c_lock.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

static void* create(void) { return calloc(1, sizeof(atomic_int)); }
static int try_lock(void* self) {
  if (atomic_load((atomic_int*)self) != 0) return 0;
  atomic_store((atomic_int*)self, 1); /* others may have read 0, too */
  return 1;
}
static void lock(void* self) {
  while (!try_lock(self)) sched_yield();
}
static void unlock(void* self) { atomic_store((atomic_int*)self, 0); }

static const lockbench_c_lock locks[] = {{.size = sizeof(lockbench_c_lock),
                                          .name = "c_two_steps",
                                          .summary = "looks, then takes",
                                          .create = create,
                                          .lock = lock,
                                          .try_lock = try_lock,
                                          .unlock = unlock,
                                          .destroy = free}};

const lockbench_c_plugin lockbench_c_locks = {LOCKBENCH_C_MAGIC, LOCKBENCH_C_VERSION,
                                              sizeof(lockbench_c_lock),
                                              sizeof locks / sizeof locks[0], locks};
