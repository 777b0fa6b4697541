// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/supervision/children.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <linux/sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/exit_code.h"
#include "primitives/platform/process.h"

namespace lockbench::stress {
namespace {

// Waits until the process is in a state of `options`. Does not collect it.
void await(pid_t process, int options) {
  siginfo_t seen;
  while (waitid(P_PID, static_cast<id_t>(process), &seen, options | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
}

void die_with_parent() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_TIMERSLACK, 1UL);  // makes sleeps of a few microseconds short
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &none);
}

}  // namespace

void end_without_process() {
  std::fprintf(stderr,
               "the machine refuses another process: %s (`ulimit -u`, pids.max of the control "
               "group, memory)\n",
               std::strerror(errno));
  _exit(kCouldNotFinish);
}

std::optional<pid_t> start_child_if_possible(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == -1) return std::nullopt;
  if (child != 0) return child;
  die_with_parent();
  work();
  _exit(0);
}

pid_t start_child(const std::function<void()>& work) {
  const std::optional<pid_t> child = start_child_if_possible(work);
  if (!child) end_without_process();
  return *child;
}

void kill_child(pid_t child) {
  kill(child, SIGKILL);
  await(child, WEXITED);
}

void stop_child(pid_t child) {
  kill(child, SIGSTOP);
  await(child, WSTOPPED | WEXITED);
}

void collect_child(pid_t child) {
  while (waitpid(child, nullptr, 0) == -1 && errno == EINTR) {
  }
}

std::optional<pid_t> start_unrelated_process(pid_t number) {
  clone_args arguments{};
  arguments.exit_signal = SIGCHLD;
  arguments.set_tid = reinterpret_cast<std::uintptr_t>(&number);
  arguments.set_tid_size = 1;
  const long child = syscall(SYS_clone3, &arguments, sizeof arguments);
  if (child == -1) return std::nullopt;
  if (child != 0) return static_cast<pid_t>(child);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) pause();
}

bool can_recycle_numbers() {
  const pid_t dead = start_child([] {});
  collect_child(dead);
  const std::optional<pid_t> unrelated = start_unrelated_process(dead);
  if (!unrelated) return false;
  kill_child(*unrelated);
  collect_child(*unrelated);
  return true;
}

bool began_in_an_earlier_tick(pid_t process) {
  const auto facts = platform::process_facts(process);
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  const auto ticks_per_s = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  const std::uint64_t ticks =
      static_cast<std::uint64_t>(now.tv_sec) * ticks_per_s +
      static_cast<std::uint64_t>(now.tv_nsec) / (1'000'000'000 / ticks_per_s);
  return facts && facts->started < ticks;
}

}  // namespace lockbench::stress
