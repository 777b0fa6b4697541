// SPDX-License-Identifier: Apache-2.0

// Programs whose holds have a worth that is known: the same program runs with holds that are really
// shorter. `worths MODE PERCENT [ROUNDS]`: PERCENT of the usual holds of the lock that is looked
// at. docs/observe.md says what whatif says of them; worth_truth.py measures both.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMostThreads = 16, kStripes = 16 };

static pthread_mutex_t looked_at = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t stripes[kStripes];
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t start;
static sem_t made;
static int queued, turn, rounds = 4000, threads = 2;
static double scale = 1;

// About so many microseconds on a processor of 3 GHz.
static void work(double us) {
  uint64_t x = 1;
  for (long i = (long)(us * 750); i > 0; --i) {
    x *= 0xd1342543de82ef95;
    __asm__ volatile("" : "+r"(x));
  }
}

__attribute__((noinline)) static void hold(double us) {
  pthread_mutex_lock(&looked_at);
  work(us * scale);
  pthread_mutex_unlock(&looked_at);
}

__attribute__((noinline)) static void other_hold(double us) {
  pthread_mutex_lock(&other);
  work(us);
  pthread_mutex_unlock(&other);
}

// The lock is contended and ends nothing: the other threads take longer.
static void* off_path(void* number) {
  if ((intptr_t)number == 0) {
    for (int i = 0; i < rounds; ++i) work(200);
  } else {
    for (int i = 0; i < rounds / 4; ++i) {
      pthread_mutex_lock(&looked_at);
      usleep((useconds_t)(100 * scale));
      pthread_mutex_unlock(&looked_at);
    }
  }
  return NULL;
}

static void* two_locks(void* number) {
  (void)number;
  for (int i = 0; i < rounds; ++i) {
    hold(40);
    other_hold(10);
    work(60);
  }
  return NULL;
}

static void* saturated(void* number) {
  (void)number;
  for (int i = 0; i < rounds; ++i) hold(80);
  return NULL;
}

static void* rare(void* number) {
  (void)number;
  for (int i = 0; i < rounds; ++i) {
    hold(5);
    work(200);
  }
  return NULL;
}

static void* moves(void* number) {
  (void)number;
  for (int i = 0; i < rounds; ++i) {
    hold(40);
    other_hold(44);
  }
  return NULL;
}

static void* nested(void* number) {
  (void)number;
  for (int i = 0; i < rounds; ++i) {
    pthread_mutex_lock(&other);
    work(20);
    hold(40);
    pthread_mutex_unlock(&other);
    work(60);
  }
  return NULL;
}

static void* bursts(void* number) {
  (void)number;
  for (int i = 0; i < rounds; ++i) {
    pthread_barrier_wait(&start);
    hold(50);
    work(100);
  }
  return NULL;
}

static void* reads(void* number) {
  for (int i = 0; i < rounds; ++i) {
    if ((i + (int)(intptr_t)number) % 4 == 0) {
      pthread_rwlock_wrlock(&shared);
    } else {
      pthread_rwlock_rdlock(&shared);
    }
    work(60 * scale);
    pthread_rwlock_unlock(&shared);
    work(40);
  }
  return NULL;
}

static void* striped(void* number) {
  unsigned seed = (unsigned)(intptr_t)number + 1;
  for (int i = 0; i < rounds; ++i) {
    pthread_mutex_t* const lock = &stripes[rand_r(&seed) % kStripes];
    pthread_mutex_lock(lock);
    work(60 * scale);
    pthread_mutex_unlock(lock);
    work(40);
  }
  return NULL;
}

// One thread produces under the lock, the others consume under it and work.
static void* pipeline(void* number) {
  const int consumers = threads - 1;
  if ((intptr_t)number == 0) {
    for (int i = 0; i < rounds * consumers; ++i) {
      pthread_mutex_lock(&looked_at);
      work(30 * scale);
      ++queued;
      pthread_cond_signal(&changed);
      pthread_mutex_unlock(&looked_at);
      work(20);
    }
    return NULL;
  }
  for (int i = 0; i < rounds; ++i) {
    pthread_mutex_lock(&looked_at);
    while (queued == 0) pthread_cond_wait(&changed, &looked_at);
    --queued;
    work(10 * scale);
    pthread_mutex_unlock(&looked_at);
    work(50);
  }
  return NULL;
}

// One thread holds long and works little, the other the other way round.
static void* uneven(void* number) {
  for (int i = 0; i < rounds; ++i) {
    if ((intptr_t)number == 0) {
      hold(60);
      work(20);
    } else {
      hold(10);
      work(100);
    }
  }
  return NULL;
}

// Both threads need the lock; then one of them goes on alone without it.
static void* phases(void* number) {
  for (int i = 0; i < rounds; ++i) {
    hold(40);
    work(20);
  }
  if ((intptr_t)number == 0) {
    for (int i = 0; i < rounds; ++i) work(60);
  }
  return NULL;
}

// A thread that does not get the lock does something else first.
static void* tries(void* number) {
  (void)number;
  for (int i = 0; i < rounds; ++i) {
    while (pthread_mutex_trylock(&looked_at) != 0) work(30);
    work(50 * scale);
    pthread_mutex_unlock(&looked_at);
    work(50);
  }
  return NULL;
}

// One thread makes work for the other, which is told of it by a semaphore.
static void* told(void* number) {
  for (int i = 0; i < rounds; ++i) {
    if ((intptr_t)number == 0) {
      hold(70);
      work(10);
      sem_post(&made);
    } else {
      sem_wait(&made);
      hold(20);
      work(40);
    }
  }
  return NULL;
}

// Two threads take turns, and tell each other by a condition.
static void* turns(void* number) {
  for (int i = 0; i < rounds; ++i) {
    pthread_mutex_lock(&looked_at);
    while (turn != (int)(intptr_t)number) pthread_cond_wait(&changed, &looked_at);
    work(40 * scale);
    turn = 1 - turn;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&looked_at);
    work(60);
  }
  return NULL;
}

// The lock that is looked at is the outer one.
static void* outer(void* number) {
  (void)number;
  for (int i = 0; i < rounds; ++i) {
    pthread_mutex_lock(&looked_at);
    work(40 * scale);
    other_hold(20);
    pthread_mutex_unlock(&looked_at);
    work(60);
  }
  return NULL;
}

// Threads work alone, and add what they found under the lock now and then.
static void* merged(void* number) {
  for (int i = 0; i < rounds; ++i) {
    work(40 + 10 * (double)(intptr_t)number);
    if (i % 8 == 7) hold(240);
  }
  return NULL;
}

// One of the locks has most of the holds.
static void* skewed(void* number) {
  unsigned seed = (unsigned)(intptr_t)number + 1;
  for (int i = 0; i < rounds; ++i) {
    const int drawn = rand_r(&seed) % 100;
    pthread_mutex_t* const lock = &stripes[drawn < 80 ? 0 : drawn % kStripes];
    pthread_mutex_lock(lock);
    work(50 * scale);
    pthread_mutex_unlock(lock);
    work(50);
  }
  return NULL;
}

// A third thread looks in `looks` times, for `us` each, and sleeps in between.
static void* look_into(void* number, int looks, int us, int sleep_us) {
  if ((intptr_t)number == 2) {
    for (int i = 0; i < looks; ++i) {
      hold(us);
      usleep(sleep_us);
    }
    return NULL;
  }
  for (int i = 0; i < rounds; ++i) {
    hold(40);
    work(60);
  }
  return NULL;
}

static void* looked_into(void* number) {
  return look_into(number, rounds / 4, 20, 100);
}

static void* looked_into_often(void* number) {
  return look_into(number, rounds / 2, 30, 40);
}

static void* looked_into_seldom(void* number) {
  return look_into(number, rounds / 12, 20, 700);
}

struct Mode {
  const char* name;
  void* (*body)(void*);
  int threads;
  int rounds;
};

static const struct Mode modes[] = {
    {"alone", two_locks, 1, 4000},
    {"bursts", bursts, 2, 2500},
    {"crowded", two_locks, 8, 700},
    {"crowded_moves", moves, 6, 1200},
    {"crowded_nested", nested, 6, 800},
    {"crowded_reads", reads, 8, 900},
    {"long_pipeline", pipeline, 4, 2000},
    {"looked_into", looked_into, 3, 2500},
    {"looked_into_often", looked_into_often, 3, 2500},
    {"looked_into_seldom", looked_into_seldom, 3, 2500},
    {"merged", merged, 2, 4000},
    {"moves", moves, 2, 3500},
    {"nested", nested, 2, 2500},
    {"off_path", off_path, 3, 3000},
    {"outer", outer, 2, 2500},
    {"phases", phases, 2, 2500},
    {"pipeline", pipeline, 2, 6000},
    {"rare", rare, 2, 1500},
    {"reads", reads, 2, 3000},
    {"saturated", saturated, 4, 1500},
    {"skewed", skewed, 2, 2500},
    {"striped", striped, 4, 1700},
    {"told", told, 2, 3500},
    {"tries", tries, 2, 2500},
    {"turns", turns, 2, 2500},
    {"two_locks", two_locks, 2, 2500},
    {"uneven", uneven, 2, 2500},
};

int main(int count, char** words) {
  if (count < 3) {
    fprintf(stderr, "worths MODE PERCENT [ROUNDS]\n");
    return 2;
  }
  const struct Mode* mode = NULL;
  for (size_t i = 0; i < sizeof modes / sizeof modes[0]; ++i) {
    if (strcmp(words[1], modes[i].name) == 0) mode = &modes[i];
  }
  if (mode == NULL) {
    fprintf(stderr, "worths: no mode '%s'\n", words[1]);
    return 2;
  }
  scale = atof(words[2]) / 100;
  rounds = count > 3 ? atoi(words[3]) : mode->rounds;
  threads = mode->threads;
  for (int i = 0; i < kStripes; ++i) pthread_mutex_init(&stripes[i], NULL);
  pthread_barrier_init(&start, NULL, (unsigned)threads);
  sem_init(&made, 0, 0);
  pthread_t all[kMostThreads];
  for (intptr_t i = 0; i < threads; ++i) pthread_create(&all[i], NULL, mode->body, (void*)i);
  for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
  return 0;
}
