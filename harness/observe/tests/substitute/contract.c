// SPDX-License-Identifier: Apache-2.0

// POSIX's rules for mutexes and condition variables, as a program. It ends with 0 if all holds and
// otherwise prints the line that does not. `contract count N`: 4 threads add to one number N times
// each, then to another one, and it prints how many additions were lost of each. `contract filtered
// N`: the same with a recursive mutex, in a process that allows itself few system calls.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "posix_checks.h"

// The results of another thread from trylock, timedlock and unlock.
struct other {
  pthread_mutex_t* mutex;
  int tried, timed, timed_on_clock, invalid, unlocked;
};
static void* other_body(void* given) {
  struct other* const other = given;
  const struct timespec soon = in_ms(CLOCK_REALTIME, 20);
  const struct timespec monotonic = in_ms(CLOCK_MONOTONIC, 20);
  const struct timespec wrong = {.tv_sec = soon.tv_sec, .tv_nsec = 1000000000};
  other->tried = pthread_mutex_trylock(other->mutex);
  other->timed = pthread_mutex_timedlock(other->mutex, &soon);
  other->timed_on_clock = pthread_mutex_clocklock(other->mutex, CLOCK_MONOTONIC, &monotonic);
  other->invalid = pthread_mutex_timedlock(other->mutex, &wrong);
  return NULL;
}
static void* unlock_body(void* given) {
  struct other* const other = given;
  other->unlocked = pthread_mutex_unlock(other->mutex);
  return NULL;
}
static struct other by_another(pthread_mutex_t* mutex, void* (*body)(void*)) {
  struct other other = {.mutex = mutex};
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, body, &other), 0);
  EXPECT(pthread_join(thread, NULL), 0);
  return other;
}

static void expect_held(pthread_mutex_t* mutex) {
  const struct other other = by_another(mutex, other_body);
  EXPECT(other.tried, EBUSY);
  EXPECT(other.timed, ETIMEDOUT);
  EXPECT(other.timed_on_clock, ETIMEDOUT);
  EXPECT(other.invalid, EINVAL);
}

static void normal(pthread_mutex_t* mutex) {
  for (int i = 0; i < 3; ++i) {
    EXPECT(pthread_mutex_lock(mutex), 0);
    EXPECT(pthread_mutex_trylock(mutex), EBUSY);
    EXPECT(pthread_mutex_destroy(mutex), EBUSY);
    expect_held(mutex);
    EXPECT(pthread_mutex_unlock(mutex), 0);
    EXPECT(pthread_mutex_trylock(mutex), 0);
    EXPECT(pthread_mutex_unlock(mutex), 0);
    const struct timespec past = {.tv_sec = 1};
    EXPECT(pthread_mutex_timedlock(mutex, &past), 0);
    EXPECT(pthread_mutex_unlock(mutex), 0);
  }
}

static void recursive(pthread_mutex_t* mutex) {
  const struct timespec past = {.tv_sec = 1};
  EXPECT(pthread_mutex_unlock(mutex), EPERM);
  EXPECT(pthread_mutex_lock(mutex), 0);
  EXPECT(pthread_mutex_lock(mutex), 0);
  EXPECT(pthread_mutex_trylock(mutex), 0);
  EXPECT(pthread_mutex_timedlock(mutex, &past), 0);
  for (int i = 0; i < 4; ++i) {
    expect_held(mutex);
    EXPECT(by_another(mutex, unlock_body).unlocked, EPERM);
    EXPECT(pthread_mutex_unlock(mutex), 0);
  }
  EXPECT(by_another(mutex, other_body).tried, 0);
}

static void error_checking(pthread_mutex_t* mutex) {
  const struct timespec soon = in_ms(CLOCK_REALTIME, 10);
  EXPECT(pthread_mutex_unlock(mutex), EPERM);
  EXPECT(pthread_mutex_lock(mutex), 0);
  EXPECT(pthread_mutex_lock(mutex), EDEADLK);
  EXPECT(pthread_mutex_timedlock(mutex, &soon), EDEADLK);
  EXPECT(pthread_mutex_trylock(mutex), EBUSY);
  expect_held(mutex);
  EXPECT(by_another(mutex, unlock_body).unlocked, EPERM);
  EXPECT(pthread_mutex_unlock(mutex), 0);
}

static void of_kind(int kind, void (*check)(pthread_mutex_t*)) {
  pthread_mutexattr_t attributes;
  pthread_mutex_t mutex;
  memset(&mutex, 0x55, sizeof mutex);
  EXPECT(pthread_mutexattr_init(&attributes), 0);
  EXPECT(pthread_mutexattr_settype(&attributes, kind), 0);
  EXPECT(pthread_mutex_init(&mutex, &attributes), 0);
  check(&mutex);
}

static void kinds(void) {
  static pthread_mutex_t zero = PTHREAD_MUTEX_INITIALIZER;
  static pthread_mutex_t again = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  static pthread_mutex_t checks = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  static pthread_mutex_t spins = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
  normal(&zero);
  normal(&spins);
  recursive(&again);
  error_checking(&checks);
  of_kind(PTHREAD_MUTEX_NORMAL, normal);
  of_kind(PTHREAD_MUTEX_RECURSIVE, recursive);
  of_kind(PTHREAD_MUTEX_ERRORCHECK, error_checking);
  EXPECT(pthread_mutex_destroy(&zero), 0);
  EXPECT(pthread_mutex_init(&zero, NULL), 0);
  normal(&zero);
}

// A robust mutex whose owner died; with processes.
static void robust(void) {
  pthread_mutexattr_t attributes;
  pthread_mutex_t* const mutex =
      mmap(NULL, sizeof *mutex, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  EXPECT(pthread_mutexattr_init(&attributes), 0);
  EXPECT(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED), 0);
  EXPECT(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST), 0);
  EXPECT(pthread_mutex_init(mutex, &attributes), 0);
  const pid_t child = fork();
  if (child == 0) _exit(pthread_mutex_lock(mutex));
  int status = 0;
  EXPECT(waitpid(child, &status, 0), child);
  EXPECT(status, 0);
  EXPECT(pthread_mutex_lock(mutex), EOWNERDEAD);
  EXPECT(pthread_mutex_consistent(mutex), 0);
  EXPECT(pthread_mutex_unlock(mutex), 0);
  EXPECT(pthread_mutex_lock(mutex), 0);
  EXPECT(pthread_mutex_unlock(mutex), 0);
}

// Conditions: a queue of one element that two producers fill and two consumers empty.
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long full, produced, consumed;
enum { kElements = 4000 };
static void* produce(void* unused) {
  for (int i = 0; i < kElements; ++i) {
    pthread_mutex_lock(&guard);
    while (full) pthread_cond_wait(&changed, &guard);
    full = ++produced;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&guard);
  }
  return unused;
}
static void* consume(void* unused) {
  for (int i = 0; i < kElements; ++i) {
    pthread_mutex_lock(&guard);
    while (!full) pthread_cond_wait(&changed, &guard);
    consumed += full;
    full = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&guard);
  }
  return unused;
}
static void queue(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, i % 2 ? produce : consume, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  EXPECT(produced, 2L * kElements);
  EXPECT(consumed, kElements * (2L * kElements + 1));
}

static void timed_wait(void) {
  pthread_condattr_t attributes;
  pthread_cond_t condition;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  const struct timespec wrong = {.tv_nsec = 1000000000};
  EXPECT(pthread_condattr_init(&attributes), 0);
  for (int i = 0; i < 2; ++i) {
    const clockid_t clock = i == 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    EXPECT(pthread_condattr_setclock(&attributes, clock), 0);
    EXPECT(pthread_cond_init(&condition, &attributes), 0);
    EXPECT(pthread_mutex_lock(&mutex), 0);
    const struct timespec soon = in_ms(clock, 20);
    int result = 0;
    do {
      result = pthread_cond_timedwait(&condition, &mutex, &soon);
    } while (result == 0);
    EXPECT(result, ETIMEDOUT);
    EXPECT(pthread_mutex_trylock(&mutex), EBUSY);  // it was acquired again
    struct timespec now;
    clock_gettime(clock, &now);
    EXPECT(now.tv_sec > soon.tv_sec || (now.tv_sec == soon.tv_sec && now.tv_nsec >= soon.tv_nsec),
           1);
    EXPECT(pthread_cond_timedwait(&condition, &mutex, &wrong), EINVAL);
    const struct timespec other = in_ms(CLOCK_MONOTONIC, 10);
    do {
      result = pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &other);
    } while (result == 0);
    EXPECT(result, ETIMEDOUT);
    EXPECT(pthread_mutex_unlock(&mutex), 0);
    EXPECT(pthread_cond_destroy(&condition), 0);
  }
}

// A thread that is cancelled while it waits has the mutex when its handlers run.
static atomic_int waits, handled;
static void on_cancel(void* mutex) {
  EXPECT(pthread_mutex_trylock(mutex), EBUSY);
  handled = pthread_mutex_unlock(mutex) == 0;
}
static void* cancelled_body(void* condition) {
  pthread_mutex_lock(&guard);
  pthread_cleanup_push(on_cancel, &guard);
  waits = 1;
  for (;;) pthread_cond_wait(condition, &guard);
  pthread_cleanup_pop(0);
  return NULL;
}
static void cancellation(void) {
  for (int i = 0; i < 50; ++i) {
    pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    pthread_t thread;
    void* result = NULL;
    waits = handled = 0;
    EXPECT(pthread_create(&thread, NULL, cancelled_body, &never), 0);
    while (!waits) {
    }
    pthread_mutex_lock(&guard);  // now it has released the mutex, so it waits
    pthread_mutex_unlock(&guard);
    EXPECT(pthread_cancel(thread), 0);
    EXPECT(pthread_join(thread, &result), 0);
    EXPECT(result == PTHREAD_CANCELED, 1);
    EXPECT(handled, 1);
    EXPECT(pthread_mutex_lock(&guard), 0);
    EXPECT(pthread_mutex_unlock(&guard), 0);
    EXPECT(pthread_cond_destroy(&never), 0);
  }
}

// A program takes two mutexes in both orders, and a third one around both prevents a deadlock.
static void orders_within_a_third(void) {
  pthread_mutex_t around = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_t two[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
  for (int i = 0; i < 2; ++i) {
    EXPECT(pthread_mutex_lock(&around), 0);
    EXPECT(pthread_mutex_lock(&two[i]), 0);
    EXPECT(pthread_mutex_lock(&two[1 - i]), 0);
    EXPECT(pthread_mutex_unlock(&two[1 - i]), 0);
    EXPECT(pthread_mutex_unlock(&two[i]), 0);
    EXPECT(pthread_mutex_unlock(&around), 0);
  }
}

// Two numbers, each with its mutex, which one function acquires.
struct counter {
  pthread_mutex_t mutex;
  long number;
};
static struct counter one = {.mutex = PTHREAD_MUTEX_INITIALIZER};
static struct counter other_one = {.mutex = PTHREAD_MUTEX_INITIALIZER};
static long additions;
// At first, others run now and then, and wait for the mutex. Not for long: on a busy machine, each
// time costs the processor for milliseconds.
static int lets_others_run(long addition) {
  return addition % 64 == 0 && addition < 64 * 100;
}
static inline __attribute__((always_inline)) void add(struct counter* counter) {
  for (long i = 0; i < additions; ++i) {
    pthread_mutex_lock(&counter->mutex);
    const long before = *(volatile long*)&counter->number;
    if (lets_others_run(i)) sched_yield();
    *(volatile long*)&counter->number = before + 1;
    pthread_mutex_unlock(&counter->mutex);
  }
}
static void* add_to_one(void* unused) {
  add(&one);
  return unused;
}
static void* add_to_other(void* unused) {
  add(&other_one);
  return unused;
}
static long lost(void* (*body)(void*), const struct counter* counter, long each) {
  pthread_t threads[4];
  additions = each;
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, body, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  return 4 * each - counter->number;
}

// From now on, of the calls that a program of threads makes, each but these fails with EPERM: a
// program may forbid itself whatever its own code does not need.
static void allow_only_what_mutexes_need(void) {
  enum { kAllowed = 15 };
  static const unsigned allowed[kAllowed] = {SYS_futex,    SYS_membarrier,  SYS_sched_setaffinity,
                                             SYS_write,    SYS_exit,        SYS_exit_group,
                                             SYS_madvise,  SYS_munmap,      SYS_brk,
                                             SYS_rseq,     SYS_sched_yield, SYS_mmap,
                                             SYS_mprotect, SYS_newfstatat,  SYS_rt_sigprocmask};
  struct sock_filter filter[2 * kAllowed + 2] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
  for (int i = 0; i < kAllowed; ++i) {
    filter[2 * i + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i], 0, 1);
    filter[2 * i + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  filter[2 * kAllowed + 1] =
      (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  const struct sock_fprog program = {.len = 2 * kAllowed + 2, .filter = filter};
  EXPECT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  EXPECT(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program), 0);
}

// The threads begin before the filter, and lock after it.
static struct counter of_filtered = {.mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};
static pthread_barrier_t filter_is_there;
static void* add_when_filtered(void* unused) {
  pthread_barrier_wait(&filter_is_there);
  add(&of_filtered);
  return unused;
}
static long lost_when_filtered(long each) {
  pthread_t threads[4];
  additions = each;
  EXPECT(pthread_barrier_init(&filter_is_there, NULL, 5), 0);
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, add_when_filtered, NULL);
  allow_only_what_mutexes_need();
  pthread_barrier_wait(&filter_is_there);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  return 4 * each - of_filtered.number;
}

int main(int argc, char** argv) {
  if (argc > 2 && strcmp(argv[1], "filtered") == 0) {
    printf("lost %ld\n", lost_when_filtered(atol(argv[2])));
    return 0;
  }
  if (argc > 2) {
    const long each = atol(argv[2]);
    printf("lost %ld %ld\n", lost(add_to_one, &one, each), lost(add_to_other, &other_one, each));
    return 0;
  }
  kinds();
  robust();
  queue();
  timed_wait();
  cancellation();
  orders_within_a_third();
  EXPECT(lost(add_to_one, &one, 20000), 0);
  return 0;
}
