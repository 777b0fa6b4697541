/* SPDX-License-Identifier: Apache-2.0 */

/* By what is defined: of an older header (OLD), without a function (HALF), or never made. */
#include <lockbench/c_lock.h>

static void* create(void) { return NULL; }
static void nothing(void* self) { (void)self; }
#ifndef HALF
static int refuse(void* self) {
  (void)self;
  return 0;
}
#endif

static const lockbench_c_lock locks[] = {{.size = sizeof(lockbench_c_lock),
                                          .name = "c_unmade",
                                          .summary = "its create() returns NULL",
                                          .create = create,
                                          .lock = nothing,
#ifndef HALF
                                          .try_lock = refuse,
#endif
                                          .unlock = nothing,
                                          .destroy = nothing}};

#ifdef OLD
#define VERSION 0
#else
#define VERSION LOCKBENCH_C_VERSION
#endif

const lockbench_c_plugin lockbench_c_locks = {LOCKBENCH_C_MAGIC, VERSION, sizeof(lockbench_c_lock),
                                              1, locks};
