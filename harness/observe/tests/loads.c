// SPDX-License-Identifier: Apache-2.0

// Small programs with known loads: `loads NAME [NUMBER]`. Each prints one line with what it did.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { kMostThreads = 1000, kMostLocks = 100000 };

static pthread_mutex_t locks[kMostLocks];
static pthread_t threads[kMostThreads];
static long number = 1000;

static void spin_ns(long ns) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < ns);
}

static void run(int count, void* (*body)(void*)) {
  for (long i = 0; i < count; ++i) pthread_create(&threads[i], NULL, body, (void*)i);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
}

// Each of 4 threads acquires the one lock `number` times.
static void* count_body(void* unused) {
  (void)unused;
  for (long i = 0; i < number; ++i) {
    pthread_mutex_lock(&locks[0]);
    pthread_mutex_unlock(&locks[0]);
  }
  return NULL;
}
static void counts(void) {
  run(4, count_body);
}

static void crowd(void) {
  run(kMostThreads, count_body);
}

// True if the thread sleeps.
static int sleeps(int thread) {
  char path[64], text[256] = "";
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  FILE* const file = fopen(path, "r");
  if (file == NULL) abort();
  if (fgets(text, sizeof text, file) == NULL) abort();
  fclose(file);
  return strrchr(text, ')')[2] == 'S';
}

// The waiter requests the lock 20 times while the holder has it, which it keeps until the waiter
// sleeps and 5 ms more.
static sem_t turn[2];
static atomic_int requests;
static int waiter;
static void* holder_body(void* unused) {
  (void)unused;
  for (int i = 0; i < 20; ++i) {
    pthread_mutex_lock(&locks[0]);
    sem_post(&turn[0]);
    while (atomic_load(&requests) <= i || !sleeps(waiter)) {
    }
    spin_ns(5000000);
    pthread_mutex_unlock(&locks[0]);
    sem_wait(&turn[1]);
  }
  return NULL;
}
static void* waiter_body(void* unused) {
  (void)unused;
  for (int i = 0; i < 20; ++i) {
    sem_wait(&turn[0]);
    atomic_fetch_add(&requests, 1);
    pthread_mutex_lock(&locks[0]);
    pthread_mutex_unlock(&locks[0]);
    sem_post(&turn[1]);
  }
  return NULL;
}
static void contended(void) {
  sem_init(&turn[0], 0, 0);
  sem_init(&turn[1], 0, 0);
  waiter = gettid();
  pthread_t other;
  pthread_create(&other, NULL, holder_body, NULL);
  waiter_body(NULL);
  pthread_join(other, NULL);
}

// Holds for 20 us and thinks for 100 us.
static void think(void) {
  for (long i = 0; i < number; ++i) {
    pthread_mutex_lock(&locks[0]);
    spin_ns(20000);
    pthread_mutex_unlock(&locks[0]);
    spin_ns(100000);
  }
}

// A thread that acquires no lock lives until the main thread has held one `number` times for 20 us.
// Prints the time from then to the thread's end.
static atomic_int held_all;
static void* lives_on(void* unused) {
  while (!held_all) {
  }
  return unused;
}
static void hold_all(void) {
  for (long i = 0; i < number; ++i) {
    pthread_mutex_lock(&locks[0]);
    spin_ns(20000);
    pthread_mutex_unlock(&locks[0]);
  }
}
static void beside(void) {
  pthread_create(&threads[0], NULL, lives_on, NULL);
  hold_all();
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  held_all = 1;
  pthread_join(threads[0], NULL);
  clock_gettime(CLOCK_MONOTONIC, &to);
  printf("%.9f s\n", (double)(to.tv_sec - from.tv_sec) + (to.tv_nsec - from.tv_nsec) / 1e9);
}

// The same beside more threads than there are processors.
static void crowd_beside(void) {
  const int count = (int)sysconf(_SC_NPROCESSORS_ONLN) + 1;
  for (int i = 0; i < count; ++i) pthread_create(&threads[i], NULL, lives_on, NULL);
  hold_all();
  held_all = 1;
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
}

// The same beside a thread that waits for the main one by a pipe.
static int pipe_ends[2];
static void* reads(void* unused) {
  char one;
  if (read(pipe_ends[0], &one, 1) != 1) abort();
  return unused;
}
static void pipe_beside(void) {
  if (pipe(pipe_ends) != 0) abort();
  pthread_create(&threads[0], NULL, reads, NULL);
  hold_all();
  if (write(pipe_ends[1], "", 1) != 1) abort();
  pthread_join(threads[0], NULL);
}

// Holds for 20 us, for as many ms as `number` says.
static void until(void) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    pthread_mutex_lock(&locks[0]);
    spin_ns(20000);
    pthread_mutex_unlock(&locks[0]);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < number);
}

// Waits for a condition `number` times, 1 ms each.
static void condition(void) {
  pthread_cond_t never = PTHREAD_COND_INITIALIZER;
  for (long i = 0; i < number; ++i) {
    struct timespec until;
    pthread_mutex_lock(&locks[0]);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 1000000;
    if (until.tv_nsec >= 1000000000) {
      until.tv_nsec -= 1000000000;
      ++until.tv_sec;
    }
    if (pthread_cond_timedwait(&never, &locks[0], &until) != ETIMEDOUT) abort();
    pthread_mutex_unlock(&locks[0]);
  }
}

// Lock k gets number / (k + 1) acquisitions.
static void zipf(void) {
  for (long k = 0; k < 100; ++k) {
    for (long i = 0; i < number / (k + 1); ++i) {
      pthread_mutex_lock(&locks[k]);
      pthread_mutex_unlock(&locks[k]);
    }
  }
}

static void many(void) {
  for (long k = 0; k < kMostLocks; ++k) {
    pthread_mutex_lock(&locks[k]);
    pthread_mutex_unlock(&locks[k]);
  }
}

// Makes and destroys a lock at one address.
static void again(void) {
  for (long i = 0; i < number; ++i) {
    pthread_mutex_init(&locks[0], NULL);
    pthread_mutex_lock(&locks[0]);
    pthread_mutex_unlock(&locks[0]);
    pthread_mutex_destroy(&locks[0]);
  }
}

static void recursive(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&locks[0], &kind);
  for (long i = 0; i < number; ++i) {
    pthread_mutex_lock(&locks[0]);
    pthread_mutex_lock(&locks[0]);
    pthread_mutex_unlock(&locks[0]);
    pthread_mutex_unlock(&locks[0]);
  }
}

// Where a lock is acquired first is its place, so later calls do not matter.
__attribute__((noinline)) static void take(pthread_mutex_t* lock) {
  pthread_mutex_lock(lock);
  ++number;  // no tail call
}
__attribute__((noinline)) static void left(void) {
  take(&locks[2]);
  pthread_mutex_unlock(&locks[2]);
}
__attribute__((noinline)) static void right(void) {
  take(&locks[3]);
  pthread_mutex_unlock(&locks[3]);
}
static void wrapped(void) {
  left();
  right();
}
static void first(void) {
  pthread_mutex_lock(&locks[0]);
  pthread_mutex_unlock(&locks[0]);
}
static void second(void) {
  pthread_mutex_lock(&locks[1]);
  pthread_mutex_unlock(&locks[1]);
}
static void* order_body(void* reversed) {
  const int i = reversed != NULL;
  take(&locks[i]);
  take(&locks[1 - i]);
  pthread_mutex_unlock(&locks[0]);
  pthread_mutex_unlock(&locks[1]);
  return NULL;
}
static void inversion(void) {
  first();
  second();
  for (long i = 0; i < 2; ++i) {
    pthread_create(&threads[0], NULL, order_body, (void*)i);
    pthread_join(threads[0], NULL);
  }
}

static void kinds(void) {
  pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
  pthread_spinlock_t spinning;
  sem_t free_ones;
  pthread_spin_init(&spinning, 0);
  sem_init(&free_ones, 0, 1);
  for (long i = 0; i < number; ++i) {
    pthread_rwlock_rdlock(&shared);
    pthread_rwlock_unlock(&shared);
    if (i % 10 == 0) {
      pthread_rwlock_wrlock(&shared);
      pthread_rwlock_unlock(&shared);
    }
    pthread_spin_lock(&spinning);
    pthread_spin_unlock(&spinning);
    sem_wait(&free_ones);
    sem_post(&free_ones);
  }
  if (sem_wait(&free_ones) != 0) abort();
  errno = 0;
  if (sem_trywait(&free_ones) != -1 || errno != EAGAIN) abort();
}

// C11's locks: as counts, and a wait for a condition.
static mtx_t c11_lock;
static cnd_t c11_changed;
static int c11_turns;
static void* c11_body(void* unused) {
  (void)unused;
  for (long i = 0; i < number; ++i) {
    mtx_lock(&c11_lock);
    mtx_unlock(&c11_lock);
  }
  return NULL;
}
static void* c11_waiter_body(void* unused) {
  (void)unused;
  mtx_lock(&c11_lock);
  while (c11_turns == 0) cnd_wait(&c11_changed, &c11_lock);
  mtx_unlock(&c11_lock);
  return NULL;
}
static void c11(void) {
  if (mtx_init(&c11_lock, mtx_timed) != thrd_success) abort();
  if (cnd_init(&c11_changed) != thrd_success) abort();
  run(4, c11_body);
  pthread_create(&threads[0], NULL, c11_waiter_body, NULL);
  mtx_lock(&c11_lock);
  const struct timespec over = {0};
  if (mtx_trylock(&c11_lock) != thrd_busy) abort();
  if (mtx_timedlock(&c11_lock, &over) != thrd_timedout) abort();
  c11_turns = 1;
  mtx_unlock(&c11_lock);
  cnd_signal(&c11_changed);
  pthread_join(threads[0], NULL);
  mtx_destroy(&c11_lock);
}

// Two threads acquire one lock at places of their own: either may be the first.
static void hold_20_us(void) {
  pthread_mutex_lock(&locks[0]);
  spin_ns(20000);
  pthread_mutex_unlock(&locks[0]);
}
static void* racing_body(void* which) {
  for (long i = 0; i < number; ++i) {
    if (which == NULL) {
      hold_20_us();
    } else {
      pthread_mutex_lock(&locks[0]);
      spin_ns(20000);
      pthread_mutex_unlock(&locks[0]);
    }
  }
  return NULL;
}
static void racing(void) {
  run(2, racing_body);
}

static void forks(void) {
  count_body(NULL);
  const pid_t child = fork();
  if (child == 0) {
    number *= 2;
    count_body(NULL);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

static void quits(void) {
  count_body(NULL);
  _exit(7);
}

static void killed(void) {
  count_body(NULL);
  kill(getpid(), SIGKILL);
}

static void before_main_and_after(void) {}

static int chosen_last;
__attribute__((constructor)) static void begin(void) {
  pthread_mutex_lock(&locks[1]);
  pthread_mutex_unlock(&locks[1]);
}
__attribute__((destructor)) static void end(void) {
  if (!chosen_last) return;
  pthread_mutex_lock(&locks[1]);
  pthread_mutex_unlock(&locks[1]);
}

// The cost of an uncontended lock() and unlock(), in ns: the least of several measurements. A
// second thread exists, because the C library omits atomic operations without one.
static void* idle_body(void* unused) {
  sem_wait(&turn[0]);
  return unused;
}
static void cost(void) {
  pthread_create(&threads[0], NULL, idle_body, NULL);
  double least = 1e9;
  for (int k = 0; k < 20; ++k) {
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (long i = 0; i < number; ++i) {
      pthread_mutex_lock(&locks[0]);
      pthread_mutex_unlock(&locks[0]);
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    const double ns = ((to.tv_sec - from.tv_sec) * 1e9 + (to.tv_nsec - from.tv_nsec)) / number;
    if (ns < least) least = ns;
  }
  printf("%.2f ns\n", least);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*body)(void);
  } kLoads[] = {
      {"counts", counts},
      {"crowd", crowd},
      {"contended", contended},
      {"think", think},
      {"condition", condition},
      {"zipf", zipf},
      {"many", many},
      {"again", again},
      {"recursive", recursive},
      {"inversion", inversion},
      {"kinds", kinds},
      {"forks", forks},
      {"quits", quits},
      {"killed", killed},
      {"around", before_main_and_after},
      {"cost", cost},
      {"wrapped", wrapped},
      {"c11", c11},
      {"racing", racing},
      {"beside", beside},
      {"crowd_beside", crowd_beside},
      {"pipe_beside", pipe_beside},
      {"until", until},
  };
  if (argc > 2) number = atol(argv[2]);
  for (size_t i = 0; argc > 1 && i < sizeof kLoads / sizeof *kLoads; ++i) {
    if (strcmp(argv[1], kLoads[i].name) != 0) continue;
    chosen_last = strcmp(argv[1], "around") == 0;
    printf("%s %ld\n", argv[1], number);
    fflush(stdout);
    kLoads[i].body();
    return 0;
  }
  fprintf(stderr, "no load of this name\n");
  return 2;
}
