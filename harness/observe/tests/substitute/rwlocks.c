// SPDX-License-Identifier: Apache-2.0

// POSIX's rules for locks for readers and writers, as a program. It ends with 0 if all holds and
// otherwise prints the line that does not. `rwlocks together`: prints whether two readers hold a
// lock at once. `rwlocks count N`: 4 threads add to a number N times each, and read it as often; it
// prints how many additions were lost, and how many reads saw a change.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "posix_checks.h"

// The results of another thread.
struct other {
  pthread_rwlock_t* lock;
  int read, written, read_timed, written_timed, read_on_clock, written_on_clock, invalid;
};
static void* other_body(void* given) {
  struct other* const other = given;
  pthread_rwlock_t* const lock = other->lock;
  const struct timespec soon = in_ms(CLOCK_REALTIME, 20);
  const struct timespec monotonic = in_ms(CLOCK_MONOTONIC, 20);
  const struct timespec wrong = {.tv_sec = soon.tv_sec, .tv_nsec = 1000000000};
  if ((other->read = pthread_rwlock_tryrdlock(lock)) == 0) pthread_rwlock_unlock(lock);
  if ((other->written = pthread_rwlock_trywrlock(lock)) == 0) pthread_rwlock_unlock(lock);
  other->read_timed = pthread_rwlock_timedrdlock(lock, &soon);
  if (other->read_timed == 0) pthread_rwlock_unlock(lock);
  other->written_timed = pthread_rwlock_timedwrlock(lock, &soon);
  if (other->written_timed == 0) pthread_rwlock_unlock(lock);
  other->read_on_clock = pthread_rwlock_clockrdlock(lock, CLOCK_MONOTONIC, &monotonic);
  if (other->read_on_clock == 0) pthread_rwlock_unlock(lock);
  other->written_on_clock = pthread_rwlock_clockwrlock(lock, CLOCK_MONOTONIC, &monotonic);
  if (other->written_on_clock == 0) pthread_rwlock_unlock(lock);
  other->invalid = pthread_rwlock_timedwrlock(lock, &wrong);
  if (other->invalid == 0) pthread_rwlock_unlock(lock);
  return NULL;
}
static struct other by_another(pthread_rwlock_t* lock) {
  struct other other = {.lock = lock};
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, other_body, &other), 0);
  EXPECT(pthread_join(thread, NULL), 0);
  return other;
}

static void held_to_write(pthread_rwlock_t* lock) {
  EXPECT(pthread_rwlock_wrlock(lock), 0);
  const struct other other = by_another(lock);
  EXPECT(other.read, EBUSY);
  EXPECT(other.written, EBUSY);
  EXPECT(other.read_timed, ETIMEDOUT);
  EXPECT(other.written_timed, ETIMEDOUT);
  EXPECT(other.read_on_clock, ETIMEDOUT);
  EXPECT(other.written_on_clock, ETIMEDOUT);
  EXPECT(other.invalid, EINVAL);
  // A wait of the same thread that can never end is an error.
  EXPECT(pthread_rwlock_wrlock(lock), EDEADLK);
  EXPECT(pthread_rwlock_rdlock(lock), EDEADLK);
  EXPECT(pthread_rwlock_trywrlock(lock), EBUSY);
  EXPECT(pthread_rwlock_tryrdlock(lock), EBUSY);
  EXPECT(pthread_rwlock_unlock(lock), 0);
}

static void held_to_read(pthread_rwlock_t* lock) {
  EXPECT(pthread_rwlock_rdlock(lock), 0);
  const struct other other = by_another(lock);
  EXPECT(other.written, EBUSY);
  EXPECT(other.written_timed, ETIMEDOUT);
  EXPECT(other.written_on_clock, ETIMEDOUT);
  EXPECT(pthread_rwlock_unlock(lock), 0);
  const struct other later = by_another(lock);
  EXPECT(later.read, 0);
  EXPECT(later.written, 0);
  EXPECT(later.read_timed, 0);
  EXPECT(later.written_timed, 0);
  EXPECT(later.read_on_clock, 0);
  EXPECT(later.written_on_clock, 0);
}

// A reader locks again although a writer waits, as the C library's own does by default.
static void* write_once(void* given) {
  pthread_rwlock_t* const lock = given;
  EXPECT(pthread_rwlock_wrlock(lock), 0);
  EXPECT(pthread_rwlock_unlock(lock), 0);
  return NULL;
}
static void reads_again(pthread_rwlock_t* lock) {
  pthread_t writer;
  EXPECT(pthread_rwlock_rdlock(lock), 0);
  EXPECT(pthread_create(&writer, NULL, write_once, lock), 0);
  // Until the writer waits, or nearly so: then a lock that lets it go first would stand still here.
  const struct timespec until = in_ms(CLOCK_MONOTONIC, 30);
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
  EXPECT(pthread_rwlock_rdlock(lock), 0);
  EXPECT(pthread_rwlock_tryrdlock(lock), 0);
  for (int i = 0; i < 3; ++i) {
    if (i != 0) EXPECT(by_another(lock).written, EBUSY);
    EXPECT(pthread_rwlock_unlock(lock), 0);
  }
  EXPECT(pthread_join(writer, NULL), 0);
}

static void kinds(void) {
  static pthread_rwlock_t plain = PTHREAD_RWLOCK_INITIALIZER;
  static pthread_rwlock_t writers = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
  pthread_rwlock_t initialised;
  EXPECT(pthread_rwlock_init(&initialised, NULL), 0);
  pthread_rwlockattr_t shared;
  EXPECT(pthread_rwlockattr_init(&shared), 0);
  EXPECT(pthread_rwlockattr_setpshared(&shared, PTHREAD_PROCESS_SHARED), 0);
  pthread_rwlock_t of_processes;
  EXPECT(pthread_rwlock_init(&of_processes, &shared), 0);
  pthread_rwlock_t* const locks[] = {&plain, &writers, &initialised, &of_processes};
  for (int i = 0; i < 4; ++i) {
    held_to_write(locks[i]);
    held_to_read(locks[i]);
  }
  reads_again(&plain);
  reads_again(&initialised);
  EXPECT(pthread_rwlock_destroy(&initialised), 0);
  EXPECT(pthread_rwlock_destroy(&of_processes), 0);
}

static __attribute__((noinline)) int together(void) {
  static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  EXPECT(pthread_rwlock_rdlock(&lock), 0);
  const int read = by_another(&lock).read;
  EXPECT(pthread_rwlock_unlock(&lock), 0);
  return read == 0;
}

static pthread_rwlock_t counted = PTHREAD_RWLOCK_INITIALIZER;
static volatile long number;
static long each;
static void* add_and_read(void* unused) {
  (void)unused;
  long changed = 0;
  for (long i = 0; i < each; ++i) {
    pthread_rwlock_wrlock(&counted);
    number = number + 1;
    pthread_rwlock_unlock(&counted);
    pthread_rwlock_rdlock(&counted);
    const long seen = number;
    for (volatile int j = 0; j < 5; ++j) {
    }
    changed += seen != number;
    pthread_rwlock_unlock(&counted);
  }
  return (void*)changed;
}
static void count(long times) {
  pthread_t threads[4];
  each = times;
  long changed = 0;
  for (int i = 0; i < 4; ++i) EXPECT(pthread_create(&threads[i], NULL, add_and_read, NULL), 0);
  for (int i = 0; i < 4; ++i) {
    void* saw;
    EXPECT(pthread_join(threads[i], &saw), 0);
    changed += (long)saw;
  }
  printf("lost %ld, changed %ld\n", 4 * times - number, changed);
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "together") == 0) {
    printf("%s\n", together() ? "together" : "alone");
  } else if (argc > 2) {
    count(atol(argv[2]));
  } else {
    kinds();
  }
  return 0;
}
