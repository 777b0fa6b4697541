/* SPDX-License-Identifier: Apache-2.0 */

/* Locks in plain C that promise something, and keep it or do not: a ticket lock that is fair and
   has timeouts; the same, and says that three may hold it at once; POSIX mutexes that keys share,
   and says that each key has its own; four of them, one for each key below 4, which is said; and,
   if WRONG is defined, one that contradicts itself. */
#define _POSIX_C_SOURCE 200809L
#include <lockbench/c_lock.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

struct ticket {
  atomic_uint next;
  atomic_uint serving;
};

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void* ticket_create(void) {
  return calloc(1, sizeof(struct ticket));
}
static void ticket_lock(void* self) {
  struct ticket* const ticket = self;
  const unsigned mine = atomic_fetch_add(&ticket->next, 1);
  while (atomic_load(&ticket->serving) != mine) sched_yield();
}
static int ticket_try(void* self) {
  struct ticket* const ticket = self;
  unsigned serving = atomic_load(&ticket->serving);
  return atomic_compare_exchange_strong(&ticket->next, &serving, serving + 1);
}
static void ticket_unlock(void* self) {
  struct ticket* const ticket = self;
  atomic_fetch_add(&ticket->serving, 1);
}
static int ticket_try_for(void* self, uint64_t timeout_ns) {
  const int64_t end = now_ns() + (int64_t)timeout_ns;
  while (!ticket_try(self)) {
    if (now_ns() >= end) return 0;
    sched_yield();
  }
  return 1;
}

enum { kRooms = 4, kStripes = 2 };

static void* rooms_create(void) {
  pthread_mutex_t* const rooms = calloc(kRooms, sizeof *rooms);
  for (int i = 0; rooms != NULL && i < kRooms; ++i) pthread_mutex_init(&rooms[i], NULL);
  return rooms;
}
static pthread_mutex_t* room_of(void* self, uint64_t key) {
  if (key >= kRooms) abort();
  return (pthread_mutex_t*)self + key;
}
static void rooms_lock(void* self, uint64_t key) {
  pthread_mutex_lock(room_of(self, key));
}
static int rooms_try(void* self, uint64_t key) {
  return pthread_mutex_trylock(room_of(self, key)) == 0;
}
static void rooms_unlock(void* self, uint64_t key) {
  pthread_mutex_unlock(room_of(self, key));
}
static void stripes_lock(void* self, uint64_t key) {
  rooms_lock(self, key % kStripes);
}
static int stripes_try(void* self, uint64_t key) {
  return rooms_try(self, key % kStripes);
}
static void stripes_unlock(void* self, uint64_t key) {
  rooms_unlock(self, key % kStripes);
}

static const lockbench_c_promises fair = {.size = sizeof(lockbench_c_promises),
                                          .fair = 1,
                                          .strong_try = 1,
                                          .programs = "L0 U | W0:1000000 U"};
static const lockbench_c_promises three = {.size = sizeof(lockbench_c_promises), .capacity = 3};
static const lockbench_c_promises per_key = {.size = sizeof(lockbench_c_promises),
                                             .lock_per_key = 1};
static const lockbench_c_promises few = {
    .size = sizeof(lockbench_c_promises), .lock_per_key = 1, .limits = {.keys_below = kRooms}};
#ifdef WRONG
static const lockbench_c_promises wrong = {
    .size = sizeof(lockbench_c_promises), .reentrant = 1, .capacity = 3};
#endif

#define TICKET(lock_name, what, promised, ...)                                                     \
  {                                                                                                \
    .size = sizeof(lockbench_c_lock), .name = lock_name, .summary = what, .create = ticket_create, \
    .lock = ticket_lock, .try_lock = ticket_try, .unlock = ticket_unlock, .destroy = free,         \
    .promises = &promised, __VA_ARGS__                                                             \
  }
#define KEYED(lock_name, what, promised, lock, try_to_lock, unlock)                               \
  {                                                                                               \
    .size = sizeof(lockbench_c_lock), .name = lock_name, .summary = what, .create = rooms_create, \
    .destroy = free, .lock_key = lock, .try_lock_key = try_to_lock, .unlock_key = unlock,         \
    .promises = &promised                                                                         \
  }

static const lockbench_c_lock locks[] = {
    TICKET("c_ticket", "first come, first served", fair, .try_lock_for = ticket_try_for),
    TICKET("c_three", "one holder, and promises three", three, .try_lock_for = NULL),
    KEYED("c_shared", "two mutexes, and promises one for each key", per_key, stripes_lock,
          stripes_try, stripes_unlock),
    KEYED("c_rooms", "a mutex for each key below 4", few, rooms_lock, rooms_try, rooms_unlock),
#ifdef WRONG
    TICKET("c_wrong", "reentrant, for three", wrong, .try_lock_for = NULL),
#endif
};

const lockbench_c_plugin lockbench_c_locks = {LOCKBENCH_C_MAGIC, LOCKBENCH_C_VERSION,
                                              sizeof(lockbench_c_lock),
                                              sizeof locks / sizeof locks[0], locks};
