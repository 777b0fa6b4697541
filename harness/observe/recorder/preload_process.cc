// SPDX-License-Identifier: Apache-2.0

// The functions of the C library with which a process ends, starts programs, restricts its system
// calls, closes libraries or makes system calls of its own: they tell the recorder and then do what
// the C library's functions do.
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/observe/recorder/lock_table.h"
#include "harness/observe/recorder/original.h"
#include "harness/observe/recorder/process_life.h"
#include "harness/observe/recorder/program_kind.h"
#include "harness/observe/recorder/recorder.h"

#define LOCKBENCH_EXPORT extern "C" [[gnu::visibility("default")]]

namespace lockbench::observe {
namespace {

bool has_variable(char* const environment[]) {
  if (environment == nullptr) return false;
  constexpr std::size_t kLength = sizeof kRecordingVariable - 1;
  for (; *environment != nullptr; ++environment) {
    const char* const one = *environment;
    if (std::strncmp(one, kRecordingVariable, kLength) == 0 && one[kLength] == '=') return true;
  }
  return false;
}

// An environment without this library in LD_PRELOAD, for a program that cannot load it. It is the
// program's own if there is nothing to leave out, or too much to copy.
class EnvironmentWithout {
 public:
  explicit EnvironmentWithout(char* const* environment) : result_(environment) {
    std::size_t count = 0;
    for (; environment[count] != nullptr; ++count) {
      if (count + 1 == variables_.size()) return;
      variables_[count] = environment[count];
      if (std::strncmp(environment[count], kName, sizeof kName - 1) != 0) continue;
      if (!leave_out(environment[count])) return;
      variables_[count] = preload_.data();
    }
    variables_[count] = nullptr;
    result_ = variables_.data();
  }
  char* const* get() const { return result_; }

 private:
  static constexpr char kName[] = "LD_PRELOAD=";
  static constexpr char kLibrary[] = "/liblockbench_observe.so";

  // Copies the libraries but this one. False: there is none, or no room.
  bool leave_out(const char* variable) {
    if (std::strlen(variable) >= preload_.size()) return false;
    std::strcpy(preload_.data(), variable);
    char* const found = std::strstr(preload_.data(), kLibrary);
    if (found == nullptr) return false;
    char* begin = found;
    while (begin[-1] != '=' && begin[-1] != ':') --begin;
    const char* end = found + sizeof kLibrary - 1;
    if (*end == ':') ++end;
    std::memmove(begin, end, std::strlen(end) + 1);
    return true;
  }

  std::array<char*, 4096> variables_;
  std::array<char, 4096> preload_;
  char* const* result_;
};

// `execute` is given the environment for the program, and returns only if it fails.
template <class Execute>
int executed(const char* program, bool search, char* const environment[], Execute execute) {
  const int before = errno;
  program_starts(0, program, has_variable(environment));
  const bool same = !makes_calls() || environment == nullptr || can_load_library(program, search);
  errno = before;
  const int result = same ? execute(environment) : execute(EnvironmentWithout(environment).get());
  const int error = errno;
  program_did_not_start();
  errno = error;
  return result;
}

template <class Spawn>
int spawned(pid_t* pid, const char* program, bool search, char* const environment[], Spawn spawn) {
  const bool same = !makes_calls() || environment == nullptr || can_load_library(program, search);
  pid_t child = 0;
  const int error =
      same ? spawn(&child, environment) : spawn(&child, EnvironmentWithout(environment).get());
  if (error != 0) return error;
  program_starts(static_cast<unsigned>(child), program, has_variable(environment));
  if (pid != nullptr) *pid = child;
  return 0;
}

// The addresses of a library.
void extent_of(const link_map& map, std::uint64_t& begin, std::uint64_t& end) {
#if __GLIBC_PREREQ(2, 35)
  dl_find_object found{};
  if (_dl_find_object(map.l_ld, &found) != 0) return;
  begin = reinterpret_cast<std::uint64_t>(found.dlfo_map_start);
  end = reinterpret_cast<std::uint64_t>(found.dlfo_map_end);
#else
  static_cast<void>(map);
  static_cast<void>(begin);
  static_cast<void>(end);
#endif
}

bool is_loaded([[maybe_unused]] std::uint64_t address) {
#if __GLIBC_PREREQ(2, 35)
  dl_find_object found{};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the file's mapping.
  return _dl_find_object(reinterpret_cast<void*>(address), &found) == 0;
#else
  return true;
#endif
}

// Runs at the very end of exit(), after the program's own handlers.
[[gnu::destructor(101)]] void end() {
  process_ends();
}

// The arguments of a call with as many as there are.
class Words {
 public:
  // The words up to the null pointer. False: there are too many.
  bool read(const char* first, va_list rest) {
    const char* word = first;
    while (count_ < words_.size() - 1) {
      words_[count_++] = const_cast<char*>(word);
      if (word == nullptr) return true;
      word = va_arg(rest, const char*);
    }
    return false;
  }
  char* const* get() const { return words_.data(); }

 private:
  std::array<char*, 4096> words_{};
  std::size_t count_ = 0;
};

struct FutexCall {
  const void* word = nullptr;
  bool waits = false;
  bool wakes = false;
  bool is_lock = false;  // the kernel knows who has it
};

FutexCall futex_call(const void* word, long operation) {
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
    case FUTEX_WAIT_REQUEUE_PI:
      return {.word = word, .waits = true};
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
      return {.word = word, .waits = true, .is_lock = true};
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
    case FUTEX_WAKE_OP:
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
    case FUTEX_UNLOCK_PI:
      return {.word = word, .wakes = true};
    default:
      return {};
  }
}

template <class Call>
long futex(const FutexCall& what, const void* caller, Call call) {
  if (what.wakes) futex_woken(what.word);
  if (!what.waits) return call();
  const Request request{.lock = what.word, .caller = caller, .kind = LockKind::kFutex};
  const std::uint64_t since = wait_begins(request);
  const long result = call();
  // With another value in the word, the thread did not sleep.
  futex_wait_ends(request, since, result == 0 || errno != EAGAIN, result == 0);
  return result;
}

}  // namespace
}  // namespace lockbench::observe

namespace observe = lockbench::observe;

LOCKBENCH_EXPORT void _exit(int status) {
  observe::process_ends();
  LOCKBENCH_ORIGINAL(_exit)(status);
  __builtin_unreachable();
}

LOCKBENCH_EXPORT void _Exit(int status) noexcept {
  observe::process_ends();
  LOCKBENCH_ORIGINAL(_exit)(status);
  __builtin_unreachable();
}

LOCKBENCH_EXPORT int execve(const char* path, char* const words[],
                            char* const environment[]) noexcept {
  return observe::executed(path, false, environment, [=](char* const* with) {
    return LOCKBENCH_ORIGINAL(execve)(path, words, with);
  });
}

LOCKBENCH_EXPORT int execv(const char* path, char* const words[]) noexcept {
  return observe::executed(path, false, environ, [=](char* const* with) {
    return LOCKBENCH_ORIGINAL(execve)(path, words, with);
  });
}

LOCKBENCH_EXPORT int execvp(const char* file, char* const words[]) noexcept {
  return observe::executed(file, true, environ, [=](char* const* with) {
    return LOCKBENCH_ORIGINAL(execvpe)(file, words, with);
  });
}

LOCKBENCH_EXPORT int execvpe(const char* file, char* const words[],
                             char* const environment[]) noexcept {
  return observe::executed(file, true, environment, [=](char* const* with) {
    return LOCKBENCH_ORIGINAL(execvpe)(file, words, with);
  });
}

LOCKBENCH_EXPORT int fexecve(int file, char* const words[], char* const environment[]) noexcept {
  const char* const name = words[0] == nullptr ? "" : words[0];
  return observe::executed(name, true, environment, [=](char* const* with) {
    return LOCKBENCH_ORIGINAL(fexecve)(file, words, with);
  });
}

// The functions with a list of arguments are those with an array.
LOCKBENCH_EXPORT int execl(const char* path, const char* word, ...) noexcept {
  observe::Words words;
  va_list rest;
  va_start(rest, word);
  const bool all = words.read(word, rest);
  va_end(rest);
  if (all) return execv(path, words.get());
  errno = E2BIG;
  return -1;
}

LOCKBENCH_EXPORT int execlp(const char* file, const char* word, ...) noexcept {
  observe::Words words;
  va_list rest;
  va_start(rest, word);
  const bool all = words.read(word, rest);
  va_end(rest);
  if (all) return execvp(file, words.get());
  errno = E2BIG;
  return -1;
}

LOCKBENCH_EXPORT int execle(const char* path, const char* word, ...) noexcept {
  observe::Words words;
  va_list rest;
  va_start(rest, word);
  const bool all = words.read(word, rest);
  char* const* const environment = all ? va_arg(rest, char* const*) : nullptr;
  va_end(rest);
  if (all) return execve(path, words.get(), environment);
  errno = E2BIG;
  return -1;
}

LOCKBENCH_EXPORT int posix_spawn(pid_t* pid, const char* path,
                                 const posix_spawn_file_actions_t* actions,
                                 const posix_spawnattr_t* attributes, char* const words[],
                                 char* const environment[]) {
  return observe::spawned(pid, path, false, environment, [=](pid_t* child, char* const* with) {
    return LOCKBENCH_ORIGINAL(posix_spawn)(child, path, actions, attributes, words, with);
  });
}

LOCKBENCH_EXPORT int posix_spawnp(pid_t* pid, const char* file,
                                  const posix_spawn_file_actions_t* actions,
                                  const posix_spawnattr_t* attributes, char* const words[],
                                  char* const environment[]) {
  return observe::spawned(pid, file, true, environment, [=](pid_t* child, char* const* with) {
    return LOCKBENCH_ORIGINAL(posix_spawnp)(child, file, actions, attributes, words, with);
  });
}

LOCKBENCH_EXPORT int prctl(int option, ...) noexcept {
  std::array<unsigned long, 4> more{};
  va_list rest;
  va_start(rest, option);
  for (unsigned long& one : more) one = va_arg(rest, unsigned long);
  va_end(rest);
  if (option == PR_SET_SECCOMP && more[0] == SECCOMP_MODE_FILTER) observe::filter_begins();
  if (option == PR_SET_SECCOMP && more[0] == SECCOMP_MODE_STRICT) observe::strict_mode_begins();
  if (option == PR_SET_TSC && more[0] == PR_TSC_SIGSEGV) observe::strict_mode_begins();
  return LOCKBENCH_ORIGINAL(prctl)(option, more[0], more[1], more[2], more[3]);
}

// A library that is loaded at the same addresses later has other locks.
LOCKBENCH_EXPORT int dlclose(void* handle) noexcept {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  const link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr) {
    observe::extent_of(*map, begin, end);
  }
  const int result = LOCKBENCH_ORIGINAL(dlclose)(handle);
  if (end != 0 && !observe::is_loaded(begin)) observe::end_locks(begin, end);
  return result;
}

LOCKBENCH_EXPORT long syscall(long number, ...) noexcept {
  std::array<long, 6> more{};
  va_list rest;
  va_start(rest, number);
  for (long& one : more) one = va_arg(rest, long);
  va_end(rest);
  const auto call = [&] {
    return LOCKBENCH_ORIGINAL(syscall)(number, more[0], more[1], more[2], more[3], more[4],
                                       more[5]);
  };
  if (number == SYS_futex) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the caller passes a pointer as a number.
    const auto* const word = reinterpret_cast<const void*>(more[0]);
    return observe::futex(observe::futex_call(word, more[1]), __builtin_return_address(0), call);
  }
  if (number == SYS_seccomp && more[0] == SECCOMP_SET_MODE_FILTER) observe::filter_begins();
  if (number == SYS_seccomp && more[0] == SECCOMP_SET_MODE_STRICT) observe::strict_mode_begins();
  return call();
}
