// SPDX-License-Identifier: Apache-2.0

// Processes: which process runs, since when, and a descriptor that reports its end.
//
// Guarantees   the start time distinguishes a process from a later one with its number.
// Not offered  processes that this process may not inspect: they are found, but nothing is known
//              about them.
#pragma once

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "primitives/platform/errno.h"
#include "primitives/platform/file.h"

namespace lockbench::platform {

using ProcessId = std::int64_t;

// About 0.1 us; right after a fork(), too.
inline ProcessId this_process() noexcept {
  return getpid();
}

// 64 random bits that the kernel gave the program when it started: others after an execve(). A
// child of fork() has its parent's. 0 where the kernel gave none.
inline std::uint64_t program_number() noexcept {
  std::uint64_t number = 0;
  const void* const given = reinterpret_cast<const void*>(getauxval(AT_RANDOM));
  if (given != nullptr) std::memcpy(&number, given, sizeof number);
  return number;
}

// 64 random bits; where the kernel refuses them, program_number(). About 1 us.
inline std::uint64_t random_number() noexcept {
  const KeptErrno kept;
  std::uint64_t number = 0;
  const bool drawn = syscall(SYS_getrandom, &number, sizeof number, 0) == sizeof number;
  return drawn ? number : program_number();
}

// The kernel's data on a process.
struct ProcessFacts {
  std::uint64_t started = 0;  // in clock ticks since the machine started
  char state = '?';           // Z, X: it has ended and waits to be collected
  std::uint64_t threads = 0;
};

inline std::string read_small_file(const char* path) {
  const FileDescriptor file(::open(path, O_RDONLY | O_CLOEXEC));
  std::array<char, 1024> buffer;
  const ssize_t got = file.open() ? read(file.number(), buffer.data(), buffer.size()) : 0;
  return std::string(buffer.data(), got < 0 ? 0 : static_cast<std::size_t>(got));
}

// From the text of /proc/PID/stat; the name in it may hold anything, blanks and brackets included.
inline std::optional<ProcessFacts> parse_process_facts(std::string_view stat) {
  constexpr int kStateField = 3;
  constexpr int kThreadsField = 20;
  constexpr int kStartedField = 22;
  const std::size_t name_ends = stat.rfind(')');
  if (name_ends == std::string_view::npos || name_ends + 2 >= stat.size()) return std::nullopt;
  stat.remove_prefix(name_ends + 2);
  ProcessFacts facts{.state = stat.front()};
  for (int field = kStateField; field <= kStartedField; ++field) {
    const std::size_t end = stat.find(' ');
    if (end == std::string_view::npos) return std::nullopt;
    if (field == kThreadsField) std::from_chars(stat.data(), stat.data() + end, facts.threads);
    if (field == kStartedField) std::from_chars(stat.data(), stat.data() + end, facts.started);
    stat.remove_prefix(end + 1);
  }
  return facts;
}

// Absent if there is no such process, or if /proc does not have the data. About 5 us.
//
// Read from its first thread, which has the data of /proc/PID/stat: start time, number of threads.
// qemu's emulation of a processor answers for /proc/PID/stat itself when a process asks about
// itself, and after a fork() with the time at which the parent started.
inline std::optional<ProcessFacts> process_facts(ProcessId process) {
  const std::string number = std::to_string(process);
  return parse_process_facts(
      read_small_file(("/proc/" + number + "/task/" + number + "/stat").c_str()));
}

inline bool process_exists(ProcessId process) noexcept {
  return kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH;
}

// New and random each time the machine starts; 32 digits, or empty if /proc does not show it.
inline std::string boot_id() {
  std::string digits;
  for (const char c : read_small_file("/proc/sys/kernel/random/boot_id")) {
    if (c != '-' && c != '\n') digits += c;
  }
  return digits;
}

// True if /proc shows processes by the numbers that they have for this process. A process that was
// started in a new PID namespace (`unshare --pid --fork`) has the /proc of the old one until it
// mounts its own.
inline bool proc_is_of_this_namespace() {
  std::array<char, 32> self;
  const ssize_t got = readlink("/proc/self", self.data(), self.size());
  return got > 0 && std::string_view(self.data(), static_cast<std::size_t>(got)) ==
                        std::to_string(this_process());
}

// The kernel's number of the namespace in which this process's `kind` ("pid", "time") is counted;
// 0 where it has none.
inline std::uint64_t namespace_number(const char* kind) {
  struct stat found;
  const std::string path = std::string("/proc/self/ns/") + kind;
  return ::stat(path.c_str(), &found) == 0 ? found.st_ino : 0;
}

// Becomes readable when the process has ended; not open where the kernel cannot (before 5.3).
inline FileDescriptor watch_process(ProcessId process) noexcept {
#ifdef SYS_pidfd_open
  return FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(process), 0)));
#else
  static_cast<void>(process);
  return {};
#endif
}

}  // namespace lockbench::platform
