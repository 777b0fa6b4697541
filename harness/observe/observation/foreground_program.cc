// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/foreground_program.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/exit_code.h"
#include "harness/process/environment.h"
#include "harness/process/pipe.h"

namespace lockbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPassedOn[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

// While it exists, these signals and the end of a child arrive only in next().
class SignalQueue {
 public:
  SignalQueue() {
    sigemptyset(&awaited_);
    sigaddset(&awaited_, SIGCHLD);
    for (const int signal : kPassedOn) sigaddset(&awaited_, signal);
    sigprocmask(SIG_BLOCK, &awaited_, &usual_);
  }
  ~SignalQueue() {
    // Those that came too late for the program have nobody to reach any more.
    siginfo_t late{};
    while (next(std::chrono::nanoseconds{0}, late)) {
    }
    sigprocmask(SIG_SETMASK, &usual_, nullptr);
  }
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;

  const sigset_t& usual() const { return usual_; }

  // Returns false if none arrived in time.
  bool next(std::chrono::nanoseconds at_most, siginfo_t& found) const {
    const timespec longest{.tv_sec = static_cast<time_t>(at_most.count() / 1'000'000'000),
                           .tv_nsec = static_cast<long>(at_most.count() % 1'000'000'000)};
    return sigtimedwait(&awaited_, &found, &longest) > 0;
  }

 private:
  sigset_t awaited_{};
  sigset_t usual_{};
};

absl::StatusOr<pid_t> start(const ForegroundOrder& order, const sigset_t& mask) {
  std::vector<std::string> words = order.words;
  std::vector<std::string> environment = environment_with(order.environment);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &mask);
  pid_t child = 0;
  const int error = posix_spawnp(&child, words[0].c_str(), nullptr, &attributes,
                                 pointers_to(words).data(), pointers_to(environment).data());
  posix_spawnattr_destroy(&attributes);
  if (error == 0) return child;
  return absl::InternalError("`" + order.words[0] + "` cannot be started: " + std::strerror(error));
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// The processor time of the children that this process has waited for.
double processor_s_of_children() {
  rusage use{};
  getrusage(RUSAGE_CHILDREN, &use);
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

// Processes that the program leaves behind become children of this one, so that their end and their
// processor time are known.
void adopt_what_the_program_leaves() {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

// Waits for each child that has ended. Returns whether `child` was among them, and its status.
std::optional<int> reap(pid_t child, const ForegroundOrder& order) {
  std::optional<int> status_of_child;
  for (;;) {
    siginfo_t found{};
    if (waitid(P_ALL, 0, &found, WEXITED | WNOHANG | WNOWAIT) != 0 || found.si_pid == 0) break;
    if (order.has_ended) order.has_ended(static_cast<std::uint32_t>(found.si_pid));
    int status = 0;
    waitpid(found.si_pid, &status, 0);
    if (found.si_pid == child) status_of_child = status;
  }
  return status_of_child;
}

}  // namespace

absl::StatusOr<ForegroundEnd> run_in_foreground(const ForegroundOrder& order) {
  const SignalQueue signals;
  adopt_what_the_program_leaves();
  const double processor_s_before = processor_s_of_children();
  const Clock::time_point begin = Clock::now();
  const absl::StatusOr<pid_t> child = start(order, signals.usual());
  if (!child.ok()) return child.status();
  Clock::time_point next = begin + order.first;
  for (;;) {
    if (const std::optional<int> status = reap(*child, order)) {
      return ForegroundEnd{.process = static_cast<std::uint32_t>(*child),
                           .status = *status,
                           .wall_s = std::chrono::duration<double>(Clock::now() - begin).count(),
                           .processor_s = processor_s_of_children() - processor_s_before};
    }
    siginfo_t found{};
    const auto left = std::max(Clock::duration{0}, next - Clock::now());
    // The kernel sends a signal of the terminal to the whole group, so the program has it, too.
    if (signals.next(left, found) && found.si_signo != SIGCHLD && found.si_code != SI_KERNEL) {
      kill(*child, found.si_signo);
    }
    if (Clock::now() < next) continue;
    next = Clock::now() + (order.look ? order.look() : std::chrono::nanoseconds(order.first));
  }
}

int exit_code_of(int status) {
  return WIFSIGNALED(status) ? kSignalExitBase + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace lockbench
