/* SPDX-License-Identifier: Apache-2.0 */

/* A lock that works, in a plug-in that does what HOSTILE_WHAT names. HOSTILE_WHEN says when: loaded
   by the command of that name ("plugin", "trial", an engine's "list"), or "lock", at its first
   lock(). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <lockbench/c_lock.h>

static void hang(void) {
  for (;;) sleep(1000);
}

static void close_outputs(void) {
  close(STDOUT_FILENO);
  close(STDERR_FILENO);
}

static void ignore_signals(void) {
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_IGN);
}

static void crash(void) {
  raise(SIGSEGV);
}
static void exit_0(void) {
  exit(0);
}
static void exit_2(void) {
  exit(2);
}
static void stop(void) {
  raise(SIGSTOP);
}

static void hang_unheard(void) {
  ignore_signals();
  close_outputs();
  hang();
}

/* The process leads its own group, which is killed at the deadline. */
static void hang_elsewhere(void) {
  setpgid(0, getpgid(getppid()));
  close_outputs();
  hang();
}

static void leave_a_process(void) {
  if (fork() != 0) return;
  setsid();
  ignore_signals();
  hang();
}

/* Each process makes two, each in a session of its own, until there are enough. */
static void multiply(void) {
  int* const left =
      mmap(NULL, sizeof *left, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  *left = 100;
  if (fork() != 0) return;
  while (__atomic_fetch_sub(left, 1, __ATOMIC_RELAXED) > 0) {
    if (fork() == 0) setsid();
  }
  hang();
}

static void write_all(int fd, const char* text, size_t bytes) {
  while (bytes > 0) {
    const ssize_t wrote = write(fd, text, bytes);
    if (wrote <= 0) return;
    text += wrote;
    bytes -= (size_t)wrote;
  }
}

static void flood_output(void) {
  static char piece[1 << 16];
  for (;;) write_all(STDOUT_FILENO, piece, sizeof piece);
}

/* One line of 1 MiB without an end. */
static void flood_errors(void) {
  static char piece[1 << 20];
  memset(piece, 'x', sizeof piece);
  write_all(STDERR_FILENO, piece, sizeof piece);
  abort();
}

static void say_escapes(void) {
  const char text[] = "\x1b[2J\r<b>\xe2\x80\xae\xff|\"";
  write_all(STDERR_FILENO, text, sizeof text - 1);
  exit(3);
}

/* Prints the file HOSTILE_SAYS, in place of the process's own answer. */
static void say(void) {
  static char text[1 << 16];
  const int file = open(getenv("HOSTILE_SAYS"), O_RDONLY);
  const ssize_t bytes = read(file, text, sizeof text);
  if (bytes > 0) write_all(STDOUT_FILENO, text, (size_t)bytes);
  _exit(0);
}

static void fill_memory(void) {
  const size_t bytes = 1 << 20;
  for (char* piece; (piece = malloc(bytes)) != NULL;) memset(piece, 1, bytes);
  abort();
}

static void close_all(void) {
  for (int fd = 0; fd < 1024; ++fd) close(fd);
}

static const struct {
  const char* name;
  void (*act)(void);
} kActs[] = {{"crash", crash},
             {"exit_0", exit_0},
             {"exit_2", exit_2},
             {"hang", hang},
             {"stop", stop},
             {"hang_unheard", hang_unheard},
             {"hang_elsewhere", hang_elsewhere},
             {"leave_a_process", leave_a_process},
             {"multiply", multiply},
             {"flood_output", flood_output},
             {"flood_errors", flood_errors},
             {"say_escapes", say_escapes},
             {"say", say},
             {"fill_memory", fill_memory},
             {"close_all", close_all},
             {"ignore_signals", ignore_signals}};

static void act_if(const char* when) {
  const char* const wanted_when = getenv("HOSTILE_WHEN");
  const char* const wanted_what = getenv("HOSTILE_WHAT");
  if (wanted_when == NULL || wanted_what == NULL || strcmp(when, wanted_when) != 0) return;
  for (size_t i = 0; i < sizeof kActs / sizeof *kActs; ++i) {
    if (strcmp(kActs[i].name, wanted_what) == 0) kActs[i].act();
  }
}

static void act_at_lock(void) {
  act_if("lock");
}

static pthread_once_t first_lock = PTHREAD_ONCE_INIT;

static void* create(void) {
  pthread_mutex_t* const mutex = malloc(sizeof *mutex);
  pthread_mutex_init(mutex, NULL);
  return mutex;
}

static void lock(void* self) {
  pthread_once(&first_lock, act_at_lock);
  pthread_mutex_lock(self);
}

static int try_lock(void* self) {
  return pthread_mutex_trylock(self) == 0;
}
static void unlock(void* self) {
  pthread_mutex_unlock(self);
}

static void destroy(void* self) {
  pthread_mutex_destroy(self);
  free(self);
}

static const lockbench_c_lock locks[] = {{.size = sizeof(lockbench_c_lock),
                                          .name = "hostile",
                                          .summary = "does what its environment says",
                                          .create = create,
                                          .lock = lock,
                                          .try_lock = try_lock,
                                          .unlock = unlock,
                                          .destroy = destroy}};

/* With HOSTILE_COUNT, the table says that it is larger than it is. */
#ifndef HOSTILE_COUNT
#define HOSTILE_COUNT 1
#endif

const lockbench_c_plugin lockbench_c_locks = {LOCKBENCH_C_MAGIC, LOCKBENCH_C_VERSION,
                                              sizeof(lockbench_c_lock), HOSTILE_COUNT, locks};

/* glibc gives these to the constructors of libraries, too. */
__attribute__((constructor)) static void at_load(int count, char** words) {
  act_if(count > 1 ? words[1] : "");
}
