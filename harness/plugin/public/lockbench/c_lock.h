/* SPDX-License-Identifier: Apache-2.0 */

/* A lock for lockbench by a C interface: from C, Rust, Zig, or whatever can make a shared library
 * with one constant in it. Nothing of lockbench is linked with it; this header is all there is.
 *
 *   #include <lockbench/c_lock.h>
 *
 *   static const lockbench_c_promises promises = {
 *     .size = sizeof(lockbench_c_promises), .strong_try = 1, .capacity = 1};
 *
 *   static const lockbench_c_lock locks[] = {{
 *     .size = sizeof(lockbench_c_lock), .name = "spin", .summary = "a flag in a loop",
 *     .create = spin_create, .lock = spin_lock, .try_lock = spin_try, .unlock = spin_unlock,
 *     .destroy = spin_destroy, .promises = &promises,
 *   }};
 *   const lockbench_c_plugin lockbench_c_locks = {
 *     LOCKBENCH_C_MAGIC, LOCKBENCH_C_VERSION, sizeof(lockbench_c_lock), 1, locks};
 *
 * built by `gcc -std=c11 -O2 -shared -fPIC spin.c -o spin.so`.
 *
 * A lock of this kind is called through pointers, which lockbench's own are not; what that costs on
 * the machine is measured and said beside the results.
 *
 * Every function may be called by any thread, destroy() when no other uses the lock any more. No
 * function may throw, or leave by longjmp().
 */
#ifndef LOCKBENCH_C_LOCK_H
#define LOCKBENCH_C_LOCK_H

#include <lockbench/build_stamp.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes only when a program that was built for the old number would go wrong. Members are added
 * at the end of the structs, whose `size` tells. */
#define LOCKBENCH_C_VERSION 1u
#define LOCKBENCH_C_MAGIC 0x316b636f6c63626cULL /* "lbclock1" */

/* What the lock has room for, where its author documents that; 0: no limit. */
typedef struct lockbench_c_limits {
  uint32_t threads;        /* so many threads may hold or request it at once; at least 2 */
  uint32_t keys;           /* so many different keys may be held or requested at once */
  uint32_t keys_of_thread; /* so many different keys one thread may hold at once */
  uint64_t keys_below;     /* each key is a number below this; at least 2 */
  uint32_t no_kills; /* 1: no process is killed while it holds or requests it (with `processes`) */
} lockbench_c_limits;

/* What `lockbench stress` holds the lock to; 0 and NULL promise nothing. docs/stress-engines.md
 * says what is checked of each. */
typedef struct lockbench_c_promises {
  size_t size;            /* of this struct, as its author knew it */
  int fair;               /* first come, first served */
  int strong_try;         /* try_lock() succeeds while fewer than `capacity` hold, and none calls */
  int refuses_non_owners; /* unlock() by a thread that does not hold has no effect */
  int lock_per_key;       /* two different keys never wait for each other */
  int reentrant;          /* the holder may lock again */
  uint32_t depth;         /* where reentrant: so often at once; 0: without a limit */
  uint32_t capacity; /* so many threads may hold the lock, or one key, at once; 0 counts as 1 */
  uint64_t hold_limit_ns; /* a longer hold may lose the lock to a thread that waits; 0: none does */
  const char* programs;   /* own litmus programs, separated by `;` */
  int processes; /* keeps other processes out: create() is called once, before they are forked */
  int survives_fork; /* a thread that forks as a holder may unlock and lock again in the child */
  lockbench_c_limits limits;
  uint32_t bypass_limit; /* later threads get the lock before one that waits at most so often */
} lockbench_c_promises;

typedef struct lockbench_c_lock {
  size_t size;         /* of this struct, as its author knew it */
  const char* name;    /* lower-case letters, digits and underscores */
  const char* summary; /* one line */

  void* (*create)(void); /* NULL when it could not be made */
  void (*lock)(void* self);
  int (*try_lock)(void* self); /* not 0: taken */
  void (*unlock)(void* self);
  void (*destroy)(void* self);

  /* A lock that knows keys has these three as well: all of them, or none. */
  void (*lock_key)(void* self, uint64_t key);
  int (*try_lock_key)(void* self, uint64_t key);
  void (*unlock_key)(void* self, uint64_t key);

  /* A lock that has timeouts has the one that fits, or both. Not 0: taken; 0 after `timeout_ns`
   * nanoseconds, and not before. */
  int (*try_lock_for)(void* self, uint64_t timeout_ns);
  int (*try_lock_key_for)(void* self, uint64_t key, uint64_t timeout_ns);

  const lockbench_c_promises* promises; /* NULL: none */
} lockbench_c_lock;

typedef struct lockbench_c_plugin {
  uint64_t magic;   /* LOCKBENCH_C_MAGIC */
  uint32_t version; /* LOCKBENCH_C_VERSION */
  uint32_t stride;  /* bytes from one of `locks` to the next: sizeof(lockbench_c_lock) */
  uint64_t count;
  const lockbench_c_lock* locks;
} lockbench_c_plugin;

/* What the library exports, whatever visibility it is compiled with. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
extern const lockbench_c_plugin lockbench_c_locks;

#ifdef __cplusplus
}
#endif

#endif
