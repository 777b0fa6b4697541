/* SPDX-License-Identifier: Apache-2.0 */

/* A layer between a program and the C library (LD_PRELOAD) that lets one system call go wrong. It
   sees the calls on files below the folder FAULTS_FOLDER, and numbers them from 1.

   - FAULTS_LOG=FILE: appends a line for each: its number, its name, and the file's.
   - FAULTS_AT=N: which of them goes wrong.
   - FAULTS_HOW=HOW: an errno as a number; "short", a read or write of half its bytes; or "kill",
   the process is killed before the call.
   - FAULTS_STAYS=1: those after it that need space fail, too, as on a disk that is full.
   - FAULTS_ALONE=1: programs that this one starts are left alone.
   - FAULTS_DISK=FOLDER: what is left when the power fails. The contents of a file as of its last
     fsync() or fdatasync() are kept in `file-<inode>`, the names in a folder as of its last fsync()
     in `folder-<inode>`, a line "<inode> <d or f> <name>" each.
   - FAULTS_MALLOC=N: the N-th allocation after faults_count_allocations() fails; 0: none.
   - FAULTS_COUNT=FILE: how many allocations there were, written at the end. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool armed;
static const char* folder;
static const char* disk;
static long fails_at = -1;
static const char* how = "";
static bool stays;
static int log_fd = -1;
static atomic_long calls;
static long malloc_fails_at = -1;
static atomic_bool counts_allocations;
static atomic_long allocations;

/* The function of that name behind this layer. */
#define BEHIND(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void arm(void) {
  folder = getenv("FAULTS_FOLDER");
  disk = getenv("FAULTS_DISK");
  if (getenv("FAULTS_AT") != NULL) fails_at = atol(getenv("FAULTS_AT"));
  if (getenv("FAULTS_HOW") != NULL) how = getenv("FAULTS_HOW");
  stays = getenv("FAULTS_STAYS") != NULL;
  const char* const log = getenv("FAULTS_LOG");
  if (log != NULL)
    log_fd =
        (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (getenv("FAULTS_MALLOC") != NULL) malloc_fails_at = atol(getenv("FAULTS_MALLOC"));
  armed = folder != NULL || malloc_fails_at >= 0;
  // The values that were read above stay where they are.
  if (getenv("FAULTS_ALONE") != NULL) unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void tell(void) {
  const char* const count = getenv("FAULTS_COUNT");
  if (!armed || count == NULL) return;
  const int out = (int)syscall(SYS_openat, AT_FDCWD, count, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dprintf(out, "%ld\n", (long)allocations);
}

/* Called by the program where it is ready for allocations that fail. */
__attribute__((visibility("default"))) void faults_count_allocations(void) {
  counts_allocations = true;
}

static bool is_below(const char* path) {
  return strncmp(path, folder, strlen(folder)) == 0;
}

static void make_absolute(const char* path, char* whole, size_t size) {
  if (path[0] == '/' || getcwd(whole, size / 2) == NULL) {
    snprintf(whole, size, "%s", path);
  } else {
    const size_t length = strlen(whole);
    snprintf(whole + length, size - length, "/%s", path);
  }
}

static void path_of(int fd, char* path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t bytes = readlink(link, path, PATH_MAX - 1);
  path[bytes < 0 ? 0 : bytes] = '\0';
}

/* Numbers a call. Returns 0 if it goes on, an errno if it fails, -1 if it is short. */
static int fate(const char* name, const char* given, bool needs_space) {
  if (!armed || folder == NULL) return 0;
  const int before = errno;
  char path[2 * PATH_MAX];
  make_absolute(given, path, sizeof path);
  errno = before;
  if (!is_below(path)) return 0;
  const long number = ++calls;
  if (log_fd >= 0) {
    char line[2 * PATH_MAX + 64];
    const int bytes = snprintf(line, sizeof line, "%ld %s %s\n", number, name, path);
    syscall(SYS_write, log_fd, line, (size_t)bytes);
  }
  if (fails_at < 0 || number < fails_at) return 0;
  if (number > fails_at && !(stays && needs_space)) return 0;
  if (strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
  return strcmp(how, "short") == 0 ? -1 : atoi(how);
}

static int fate_of(const char* name, int fd, bool needs_space) {
  if (!armed || folder == NULL) return 0;
  const int before = errno;
  char path[PATH_MAX];
  path_of(fd, path);
  errno = before;
  return fate(name, path, needs_space);
}

/* Keeps what a disk has of an open file or folder. */
static void keep(int fd) {
  struct stat found;
  if (disk == NULL || fstat(fd, &found) != 0) return;
  char kept[PATH_MAX];
  const bool names = S_ISDIR(found.st_mode);
  snprintf(kept, sizeof kept, "%s/%s-%lu", disk, names ? "folder" : "file",
           (unsigned long)found.st_ino);
  const int out = (int)syscall(SYS_openat, AT_FDCWD, kept, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  char path[PATH_MAX];
  path_of(fd, path);
  if (names) {
    DIR* const listing = opendir(path);
    for (const struct dirent* entry; (entry = readdir(listing)) != NULL;) {
      if (entry->d_name[0] == '.') continue;
      dprintf(out, "%lu %c %s\n", (unsigned long)entry->d_ino, entry->d_type == DT_DIR ? 'd' : 'f',
              entry->d_name);
    }
    closedir(listing);
  } else {
    char piece[4096];
    const int in = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
    for (ssize_t got; (got = syscall(SYS_read, in, piece, sizeof piece)) > 0;) {
      syscall(SYS_write, out, piece, (size_t)got);
    }
    syscall(SYS_close, in);
  }
  syscall(SYS_close, out);
}

static int open_below(const char* name, const char* path, int flags, mode_t mode) {
  const int error = fate(name, path, (flags & O_CREAT) != 0);
  if (error > 0) {
    errno = error;
    return -1;
  }
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

#define OPEN(name)                                 \
  int name(const char* path, int flags, ...) {     \
    va_list more;                                  \
    va_start(more, flags);                         \
    const mode_t mode = (mode_t)va_arg(more, int); \
    va_end(more);                                  \
    return open_below("open", path, flags, mode);  \
  }
OPEN(open)
OPEN(open64)

ssize_t write(int fd, const void* bytes, size_t count) {
  const int error = fate_of("write", fd, true);
  if (error > 0) {
    errno = error;
    return -1;
  }
  return syscall(SYS_write, fd, bytes, error < 0 && count > 1 ? count / 2 : count);
}

ssize_t read(int fd, void* bytes, size_t count) {
  const int error = fate_of("read", fd, false);
  if (error > 0) {
    errno = error;
    return -1;
  }
  return syscall(SYS_read, fd, bytes, error < 0 && count > 1 ? count / 2 : count);
}

#define SYNC(name, number)                      \
  int name(int fd) {                            \
    const int error = fate_of(#name, fd, true); \
    if (error > 0) {                            \
      errno = error;                            \
      return -1;                                \
    }                                           \
    const int done = (int)syscall(number, fd);  \
    if (armed && done == 0) keep(fd);           \
    return done;                                \
  }
SYNC(fsync, SYS_fsync)
SYNC(fdatasync, SYS_fdatasync)

#define TRUNCATE(name)                                 \
  int name(int fd, off_t bytes) {                      \
    const int error = fate_of("ftruncate", fd, false); \
    if (error > 0) {                                   \
      errno = error;                                   \
      return -1;                                       \
    }                                                  \
    return (int)syscall(SYS_ftruncate, fd, bytes);     \
  }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

int flock(int fd, int operation) {
  const int error = fate_of("flock", fd, false);
  if (error > 0) {
    errno = error;
    return -1;
  }
  return (int)syscall(SYS_flock, fd, operation);
}

int close(int fd) {
  const int error = fate_of("close", fd, false);
  const int done = (int)syscall(SYS_close, fd);
  if (error <= 0) return done;
  errno = error;
  return -1;
}

int rename(const char* from, const char* to) {
  const int error = fate("rename", to, true);
  if (error > 0) {
    errno = error;
    return -1;
  }
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int mkdir(const char* path, mode_t mode) {
  const int error = fate("mkdir", path, true);
  if (error > 0) {
    errno = error;
    return -1;
  }
  return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int unlink(const char* path) {
  const int error = fate("unlink", path, false);
  if (error > 0) {
    errno = error;
    return -1;
  }
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

/* Within the C library it calls unlink(), past this layer. */
int remove(const char* path) {
  const int done = unlink(path);
  return done != 0 && errno == EISDIR ? rmdir(path) : done;
}

/* Streams open and read their files within the C library: that they cannot be opened is what fails
   here. */
#define FOPEN(name)                                       \
  FILE* name(const char* path, const char* mode) {        \
    const int error = fate("open", path, mode[0] != 'r'); \
    if (error > 0) {                                      \
      errno = error;                                      \
      return NULL;                                        \
    }                                                     \
    return BEHIND(name)(path, mode);                      \
  }
FOPEN(fopen)
FOPEN(fopen64)

void* malloc(size_t bytes) {
  static __typeof__(&malloc) behind;
  if (behind == NULL) behind = BEHIND(malloc);
  if (counts_allocations && ++allocations == malloc_fails_at) {
    errno = ENOMEM;
    return NULL;
  }
  return behind(bytes);
}
