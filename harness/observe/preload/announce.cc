// SPDX-License-Identifier: Apache-2.0

// The part of a preloaded library that writes announcements: when it is loaded, and in the place of
// the C library's functions that start programs.
//
// These functions may run in a child of vfork() or in a handler of a signal: nothing here allocates
// or takes a lock, and errno is the program's.
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <climits>

#include "harness/observe/preload/announcements.h"
#include "harness/observe/recorder/original.h"

extern char** environ;

namespace lockbench {
namespace {

// A copy: the program may change its environment.
char file[PATH_MAX];

void announce(const char* what, pid_t process, const char* program) {
  if (file[0] == '\0') return;
  const int error = errno;
  char line[PATH_MAX + 64];
  const int length = std::snprintf(line, sizeof line - 1, "%s %d %s", what, process, program);
  if (length > 0) {
    std::size_t bytes = static_cast<std::size_t>(length);
    if (bytes > sizeof line - 2) bytes = sizeof line - 2;
    for (std::size_t i = 0; i < bytes; ++i) {
      if (line[i] == '\n') line[i] = ' ';
    }
    line[bytes++] = '\n';
    // One call, so that lines of several processes do not mix.
    const int descriptor = open(file, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
    if (descriptor >= 0) {
      [[maybe_unused]] const ssize_t written = write(descriptor, line, bytes);
      close(descriptor);
    }
  }
  errno = error;
}

// Calls `start`, which returns only if it fails.
template <class Start>
int become(const char* program, Start start) {
  announce(kStarts, getpid(), program);
  const int result = start();
  announce(kFailed, getpid(), program);
  return result;
}

template <class Spawn>
int start_child(pid_t* child, const char* program, Spawn spawn) {
  pid_t own = 0;
  pid_t* const number = child == nullptr ? &own : child;
  const int result = spawn(number);
  if (result == 0) announce(kStarts, *number, program);
  return result;
}

// dlsym() may take a lock, which a child of fork() must not.
[[gnu::constructor]] void begin() {
  LOCKBENCH_ORIGINAL(execve);
  LOCKBENCH_ORIGINAL(execvpe);
  LOCKBENCH_ORIGINAL(fexecve);
  LOCKBENCH_ORIGINAL(execveat);
  LOCKBENCH_ORIGINAL(posix_spawn);
  LOCKBENCH_ORIGINAL(posix_spawnp);
  const char* const path = std::getenv(kAnnouncementsVariable);
  if (path == nullptr || std::strlen(path) >= sizeof file) return;
  std::strcpy(file, path);
  char program[PATH_MAX] = "?";
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length > 0) program[length] = '\0';
  announce(kBegun, getpid(), program);
}

// How many words there are, and no nullptr.
std::size_t count_words(const char* first, va_list rest) {
  std::size_t count = 0;
  for (const char* word = first; word != nullptr; word = va_arg(rest, const char*)) ++count;
  return count;
}

}  // namespace
}  // namespace lockbench

using lockbench::become;
using lockbench::start_child;

#define LOCKBENCH_EXPORT extern "C" [[gnu::visibility("default")]] int

LOCKBENCH_EXPORT execve(const char* path, char* const* words, char* const* environment) noexcept {
  return become(path, [=] { return LOCKBENCH_ORIGINAL(execve)(path, words, environment); });
}

LOCKBENCH_EXPORT execv(const char* path, char* const* words) noexcept {
  return become(path, [=] { return LOCKBENCH_ORIGINAL(execve)(path, words, environ); });
}

LOCKBENCH_EXPORT execvpe(const char* name, char* const* words, char* const* environment) noexcept {
  return become(name, [=] { return LOCKBENCH_ORIGINAL(execvpe)(name, words, environment); });
}

LOCKBENCH_EXPORT execvp(const char* name, char* const* words) noexcept {
  return become(name, [=] { return LOCKBENCH_ORIGINAL(execvpe)(name, words, environ); });
}

LOCKBENCH_EXPORT fexecve(int descriptor, char* const* words, char* const* environment) noexcept {
  return become(words[0] == nullptr ? "?" : words[0],
                [=] { return LOCKBENCH_ORIGINAL(fexecve)(descriptor, words, environment); });
}

LOCKBENCH_EXPORT execveat(int folder, const char* path, char* const* words,
                          char* const* environment, int flags) noexcept {
  return become(
      path, [=] { return LOCKBENCH_ORIGINAL(execveat)(folder, path, words, environment, flags); });
}

// The words that follow `first` in the call, and `first`, as an array on this function's stack.
#define LOCKBENCH_GATHER_WORDS(words, list)                                                \
  va_list list;                                                                            \
  va_start(list, first);                                                                   \
  va_list counted;                                                                         \
  va_copy(counted, list);                                                                  \
  const std::size_t count = lockbench::count_words(first, counted);                        \
  va_end(counted);                                                                         \
  auto** const words = static_cast<char**>(__builtin_alloca((count + 1) * sizeof(char*))); \
  words[0] = const_cast<char*>(first);                                                     \
  for (std::size_t i = 1; i <= count; ++i) words[i] = va_arg(list, char*)

LOCKBENCH_EXPORT execl(const char* path, const char* first, ...) noexcept {
  LOCKBENCH_GATHER_WORDS(words, list);
  va_end(list);
  return execve(path, words, environ);
}

LOCKBENCH_EXPORT execlp(const char* name, const char* first, ...) noexcept {
  LOCKBENCH_GATHER_WORDS(words, list);
  va_end(list);
  return execvpe(name, words, environ);
}

LOCKBENCH_EXPORT execle(const char* path, const char* first, ...) noexcept {
  LOCKBENCH_GATHER_WORDS(words, list);
  char* const* const environment = va_arg(list, char* const*);
  va_end(list);
  return execve(path, words, environment);
}

LOCKBENCH_EXPORT posix_spawn(pid_t* child, const char* path,
                             const posix_spawn_file_actions_t* actions,
                             const posix_spawnattr_t* attributes, char* const* words,
                             char* const* environment) noexcept {
  return start_child(child, path, [=](pid_t* number) {
    return LOCKBENCH_ORIGINAL(posix_spawn)(number, path, actions, attributes, words, environment);
  });
}

LOCKBENCH_EXPORT posix_spawnp(pid_t* child, const char* name,
                              const posix_spawn_file_actions_t* actions,
                              const posix_spawnattr_t* attributes, char* const* words,
                              char* const* environment) noexcept {
  return start_child(child, name, [=](pid_t* number) {
    return LOCKBENCH_ORIGINAL(posix_spawnp)(number, name, actions, attributes, words, environment);
  });
}
