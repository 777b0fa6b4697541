/* SPDX-License-Identifier: Apache-2.0 */

/* A lock that is compiled as lockbench; the other plug-ins here are not optimised. */
#include <lockbench/c_lock.h>
#include <stdlib.h>

static void* create(void) {
  return calloc(1, sizeof(int));
}
static void destroy(void* self) {
  free(self);
}
static int try_lock(void* self) {
  return __atomic_exchange_n((int*)self, 1, __ATOMIC_ACQUIRE) == 0;
}
static void lock(void* self) {
  while (!try_lock(self)) {
  }
}
static void unlock(void* self) {
  __atomic_store_n((int*)self, 0, __ATOMIC_RELEASE);
}

static const lockbench_c_lock locks[] = {{.size = sizeof(lockbench_c_lock),
                                          .name = "alike",
                                          .summary = "exchanges in a loop",
                                          .create = create,
                                          .lock = lock,
                                          .try_lock = try_lock,
                                          .unlock = unlock,
                                          .destroy = destroy}};

const lockbench_c_plugin lockbench_c_locks = {LOCKBENCH_C_MAGIC, LOCKBENCH_C_VERSION,
                                              sizeof(lockbench_c_lock), 1, locks};
