// SPDX-License-Identifier: Apache-2.0

// Programs in situations that an observer may misread: `situations NAME [ARGUMENT]`. Each ends with
// code 0 if it worked as it would alone.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kThreads = 4, kRounds = 100 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static const char* argument = "";

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void run(int count, void* (*body)(void*)) {
  pthread_t threads[64];
  for (long i = 0; i < count; ++i) pthread_create(&threads[i], NULL, body, (void*)i);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
}

// Returns when all threads of run() are here: else each may have ended before the next one begins.
static void await_all(void) {
  static atomic_int here;
  for (atomic_fetch_add(&here, 1); atomic_load(&here) < kThreads;) sched_yield();
}

static void use_mutex(long times) {
  for (long i = 0; i < times; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
}

// True if that thread of this process sleeps.
static int sleeps(int thread) {
  char path[64], text[256] = "";
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  FILE* const file = fopen(path, "r");
  if (file == NULL) abort();
  if (fgets(text, sizeof text, file) == NULL) abort();
  fclose(file);
  return strrchr(text, ')')[2] == 'S';
}

// Each broadcast wakes four threads, which hold the mutex for a millisecond, one after the other.
static int generation, arrived;
static void* herd_body(void* unused) {
  pthread_mutex_lock(&mutex);
  for (int seen = 0; seen < kRounds;) {
    ++arrived;
    pthread_cond_broadcast(&changed);
    while (generation == seen) pthread_cond_wait(&changed, &mutex);
    seen = generation;
    const double begin = now_s();
    while (now_s() < begin + 0.001) {
    }
  }
  pthread_mutex_unlock(&mutex);
  return unused;
}
static void* herder_body(void* unused) {
  for (int i = 0; i < kRounds; ++i) {
    pthread_mutex_lock(&mutex);
    while (arrived != kThreads) pthread_cond_wait(&changed, &mutex);
    arrived = 0;
    ++generation;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}
static int herd(void) {
  pthread_t herder;
  pthread_create(&herder, NULL, herder_body, NULL);
  run(kThreads, herd_body);
  pthread_join(herder, NULL);
  return 0;
}

// Workers that have nothing to do sleep through most of the program's life.
static pthread_mutex_t idle_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle_end = PTHREAD_COND_INITIALIZER;
static int idle_is_over = 0;
static void* idle_body(void* nothing) {
  pthread_mutex_lock(&idle_mutex);
  while (!idle_is_over) pthread_cond_wait(&idle_end, &idle_mutex);
  pthread_mutex_unlock(&idle_mutex);
  return nothing;
}
static int idle(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, idle_body, NULL);
  const struct timespec life = {1, 0};
  nanosleep(&life, NULL);
  pthread_mutex_lock(&idle_mutex);
  idle_is_over = 1;
  pthread_cond_broadcast(&idle_end);
  pthread_mutex_unlock(&idle_mutex);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  return 0;
}

// Workers sleep until another thread posts the semaphore.
static sem_t work;
static void* pool_body(void* unused) {
  for (int i = 0; i < kRounds; ++i) sem_wait(&work);
  return unused;
}
static int pool(void) {
  sem_init(&work, 0, 0);
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, pool_body, NULL);
  for (int i = 0; i < kThreads * kRounds; ++i) sem_post(&work);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  return 0;
}

// A semaphore as a mutex: who waited for it posts it.
static atomic_int holder;
static void* binary_body(void* unused) {
  await_all();
  for (int i = 0; i < kRounds; ++i) {
    sem_wait(&work);
    if (atomic_exchange(&holder, 1) != 0) abort();
    if (i % 10 == 0) usleep(100);
    atomic_store(&holder, 0);
    sem_post(&work);
  }
  return unused;
}
static int binary(void) {
  sem_init(&work, 0, 1);
  run(kThreads, binary_body);
  return 0;
}

// A thread that waits for a mutex is cancelled. Prints how long it may have waited.
static atomic_int waiter;
static void* cancelled_body(void* unused) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  atomic_store(&waiter, gettid());
  pthread_mutex_lock(&mutex);
  return unused;
}
static int cancelled(void) {
  pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  const double begin = now_s();
  pthread_t thread;
  pthread_create(&thread, NULL, cancelled_body, NULL);
  while (atomic_load(&waiter) == 0 || !sleeps(waiter)) {
  }
  pthread_cancel(thread);
  void* result = NULL;
  pthread_join(thread, &result);
  const double waited_s = now_s() - begin;
  pthread_mutex_unlock(&mutex);
  for (double end = now_s() + 5 * waited_s; now_s() < end;) {
    pthread_mutex_lock(&other);
    pthread_mutex_unlock(&other);
  }
  printf("%.9f\n", waited_s);
  return result == PTHREAD_CANCELED ? 0 : 1;
}

// A handler jumps out of a wait for a mutex.
static sigjmp_buf out;
static void jump(int signal_number) {
  (void)signal_number;
  siglongjmp(out, 1);
}
static void* jumping_body(void* unused) {
  atomic_store(&waiter, gettid());
  if (sigsetjmp(out, 1) == 0) pthread_mutex_lock(&mutex);
  return unused;
}
static int jumping(void) {
  signal(SIGUSR1, jump);
  pthread_mutex_lock(&mutex);
  const double begin = now_s();
  pthread_t thread;
  pthread_create(&thread, NULL, jumping_body, NULL);
  while (atomic_load(&waiter) == 0 || !sleeps(waiter)) {
  }
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, NULL);
  const double waited_s = now_s() - begin;
  for (double end = now_s() + 5 * waited_s; now_s() < end;) {
  }
  printf("%.9f\n", waited_s);
  return 0;
}

// A mutex of the program's own, made of a futex, as many libraries have one.
static atomic_int word;
static void own_lock(void) {
  int seen = 0;
  if (atomic_compare_exchange_strong(&word, &seen, 1)) return;
  while (atomic_exchange(&word, 2) != 0) {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
  }
}
static void own_unlock(void) {
  if (atomic_exchange(&word, 0) == 2) {
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  }
}
static void* futex_body(void* unused) {
  await_all();
  for (int i = 0; i < kRounds; ++i) {
    own_lock();
    usleep(100);
    own_unlock();
  }
  return unused;
}
static int futexes(void) {
  run(kThreads, futex_body);
  return 0;
}

// The same without the C library's function, as the runtimes of some languages have it.
#if defined(__x86_64__)
static void raw_futex(int operation, int value) {
  long number = SYS_futex;
  register long timeout __asm__("r10") = 0;
  __asm__ volatile("syscall"
                   : "+a"(number)
                   : "D"(&word), "S"(operation), "d"(value), "r"(timeout)
                   : "rcx", "r11", "memory");
}
static void* raw_body(void* unused) {
  await_all();
  for (int i = 0; i < kRounds; ++i) {
    while (atomic_exchange(&word, 2) != 0) raw_futex(FUTEX_WAIT_PRIVATE, 2);
    usleep(1000);
    atomic_store(&word, 0);
    raw_futex(FUTEX_WAKE_PRIVATE, 1);
  }
  return unused;
}
static int raw_futexes(void) {
  run(kThreads, raw_body);
  return 0;
}
#else
static int raw_futexes(void) {
  return 9;
}
#endif

// Goes into the background, and works when the argument, a pipe with a name, is opened for writing.
static int background(void) {
  if (daemon(1, 0) != 0) return 1;
  char text[1];
  const int pipe = open(argument, O_RDONLY);
  if (read(pipe, text, 1) != 0) return 1;
  use_mutex(1000);
  return 0;
}

// Two threads take two locks in both orders, one thread after the other.
static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t around = PTHREAD_MUTEX_INITIALIZER;
static void take_both(pthread_mutex_t* first, pthread_mutex_t* second) {
  pthread_mutex_lock(first);
  pthread_mutex_lock(second);
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
}
static int is_around;
static void* order_body(void* number) {
  if (is_around) pthread_mutex_lock(&around);
  if (number == NULL) take_both(&left, &right);
  if (number != NULL) take_both(&right, &left);
  if (is_around) pthread_mutex_unlock(&around);
  return NULL;
}
static int orders(void) {
  is_around = strcmp(argument, "around") == 0;
  if (strcmp(argument, "one") == 0) {
    order_body(NULL);
    order_body((void*)1);
    return 0;
  }
  pthread_t thread;
  for (long i = 0; i < 2; ++i) {
    pthread_create(&thread, NULL, order_body, (void*)i);
    pthread_join(thread, NULL);
  }
  return 0;
}

// Places whose locks are never taken in both orders, although the places are.
static int ordered_places(void) {
  static pthread_mutex_t locks[2][8];
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; k < 8; ++k) {
      pthread_mutex_lock(&locks[i][k]);
      pthread_mutex_unlock(&locks[i][k]);
    }
  }
  take_both(&locks[0][1], &locks[1][2]);
  take_both(&locks[1][3], &locks[0][4]);
  return 0;
}

// Wrappers of a mutex, as most programs have them.
__attribute__((noinline)) static void wrapper_lock(pthread_mutex_t* lock) {
  pthread_mutex_lock(lock);
  __asm__ volatile("");  // no tail call
}
__attribute__((noinline)) static void wrapper_unlock(pthread_mutex_t* lock) {
  pthread_mutex_unlock(lock);
  __asm__ volatile("");
}
__attribute__((noinline)) static void guard_begin(pthread_mutex_t* lock) {
  wrapper_lock(lock);
  __asm__ volatile("");
}
static pthread_mutex_t wrapped_locks[30];
__attribute__((noinline)) static void reads(int i) {
  guard_begin(&wrapped_locks[i]);
  wrapper_unlock(&wrapped_locks[i]);
}
__attribute__((noinline)) static void writes(int i) {
  guard_begin(&wrapped_locks[i]);
  wrapper_unlock(&wrapped_locks[i]);
}
static int wrappers(void) {
  for (int i = 0; i < 10; ++i) reads(i);
  for (int i = 10; i < 30; ++i) writes(i);
  return 0;
}

// One library after the other at the same addresses; the second one has the locks of most use.
static int libraries(void) {
  static pthread_mutex_t locks[2];
  static const char* const names[] = {"alpha", "beta"};
  void* first = NULL;
  for (int i = 0; i < 2; ++i) {
    char path[4096];
    snprintf(path, sizeof path, "%s/libobserve_%s.so", argument, names[i]);
    void* const library = dlopen(path, RTLD_NOW);
    if (library == NULL) return 1;
    void (*const use)(pthread_mutex_t*, long) = dlsym(library, "use");
    if (i == 0) first = (void*)use;
    use(&locks[i], i == 0 ? 1 : 1000);
    printf("%s\n", i == 1 && (void*)use == first ? "same" : "other");
    dlclose(library);
  }
  return 0;
}

// The process may make only the system calls that it needs itself, and then forks.
#define ALLOW(number) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
static int filtered(void) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      ALLOW(SYS_write),
      ALLOW(SYS_exit_group),
      ALLOW(SYS_clone),
      ALLOW(SYS_clone3),
      ALLOW(SYS_wait4),
      ALLOW(SYS_set_robust_list),
      ALLOW(SYS_futex),
      ALLOW(SYS_rt_sigprocmask),
      ALLOW(SYS_newfstatat),
      ALLOW(SYS_gettid),
      ALLOW(SYS_rseq),
      ALLOW(SYS_set_tid_address),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
  struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
  use_mutex(10);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 9;
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return 9;
  static pthread_mutex_t more[1000];
  for (int i = 0; i < 1000; ++i) pthread_mutex_lock(&more[i]);
  for (int i = 0; i < 1000; ++i) pthread_mutex_unlock(&more[i]);
  const pid_t child = fork();
  if (child == 0) {
    use_mutex(10);
    _exit(7);
  }
  int status = 0;
  wait4(child, &status, 0, NULL);
  return WIFEXITED(status) && WEXITSTATUS(status) == 7 ? 0 : 1;
}

// Not even the time may be read.
static int strict(void) {
  use_mutex(10);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) return 9;
  use_mutex(1000);
  syscall(SYS_exit, 0);
  return 1;
}

// Prints what another library maps, and if it would be part of a core dump or of locked memory.
static int maps(void) {
  use_mutex(10);
  FILE* const file = fopen("/proc/self/smaps", "r");
  char line[4096];
  int is_recording = 0;
  long kib = 0, dumped = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    long size = 0;
    if (strchr(line, '-') != NULL && strstr(line, " rw-s ") != NULL) {
      is_recording = strstr(line, "lockbench-observe") != NULL;
    }
    if (is_recording && sscanf(line, "Size: %ld", &size) == 1) kib += size;
    if (is_recording && strncmp(line, "VmFlags:", 8) == 0) {
      dumped += strstr(line, " dd") == NULL;
      is_recording = 0;
    }
  }
  fclose(file);
  printf("%ld %ld\n", kib, dumped);
  return 0;
}

// Allocates 100 MB where the limit leaves little more.
static int limited(void) {
  const struct rlimit limit = {200 << 20, 200 << 20};
  setrlimit(RLIMIT_AS, &limit);
  use_mutex(10);
  void* const memory = malloc(100 << 20);
  if (memory == NULL) return 1;
  memset(memory, 1, 100 << 20);
  free(memory);
  return 0;
}

// The recording cannot be opened again: no descriptor is left, and the folders are others.
static int closed(void) {
  for (int i = 3; i < 1024; ++i) close(i);
  if (geteuid() == 0 && chroot("/var/empty") != 0 && chroot("/tmp") != 0) return 9;
  use_mutex(10);
  const pid_t child = fork();
  if (child == 0) {
    use_mutex(500);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

// A copy of which the C library does not know.
static int cloned(void) {
  use_mutex(10);
  const long child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);
  if (child == 0) {
    use_mutex(500);
    _exit(0);
  }
  int status = 0;
  waitpid((pid_t)child, &status, 0);
  return status;
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    int (*body)(void);
  } kSituations[] = {
      {"herd", herd},
      {"idle", idle},
      {"pool", pool},
      {"binary", binary},
      {"cancelled", cancelled},
      {"jumping", jumping},
      {"futexes", futexes},
      {"raw_futexes", raw_futexes},
      {"background", background},
      {"orders", orders},
      {"ordered_places", ordered_places},
      {"wrappers", wrappers},
      {"libraries", libraries},
      {"filtered", filtered},
      {"strict", strict},
      {"maps", maps},
      {"limited", limited},
      {"closed", closed},
      {"cloned", cloned},
  };
  if (argc > 2) argument = argv[2];
  for (size_t i = 0; argc > 1 && i < sizeof kSituations / sizeof *kSituations; ++i) {
    if (strcmp(argv[1], kSituations[i].name) == 0) return kSituations[i].body();
  }
  fprintf(stderr, "no situation of this name\n");
  return 2;
}
