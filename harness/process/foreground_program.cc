// SPDX-License-Identifier: Apache-2.0

#include "harness/process/foreground_program.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/process/environment.h"
#include "harness/process/pipe.h"
#include "harness/terminal/exit_code.h"

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

}  // namespace

absl::StatusOr<ForegroundEnd> run_in_foreground(const ForegroundOrder& order) {
  const SignalQueue signals;
  const Clock::time_point begin = Clock::now();
  const absl::StatusOr<pid_t> child = start(order, signals.usual());
  if (!child.ok()) return child.status();
  Clock::time_point next = begin + order.period;
  for (;;) {
    rusage use{};
    int status = 0;
    if (wait4(*child, &status, WNOHANG, &use) == *child) {
      return ForegroundEnd{.process = static_cast<std::uint32_t>(*child),
                           .status = status,
                           .wall_s = std::chrono::duration<double>(Clock::now() - begin).count(),
                           .processor_s = seconds(use.ru_utime) + seconds(use.ru_stime)};
    }
    siginfo_t found{};
    const auto left = std::max(Clock::duration{0}, next - Clock::now());
    // The kernel sends a signal of the terminal to the whole group, so the program has it, too.
    if (signals.next(left, found) && found.si_signo != SIGCHLD && found.si_code != SI_KERNEL) {
      kill(*child, found.si_signo);
    }
    if (Clock::now() < next) continue;
    next += order.period;
    if (order.each_period) order.each_period();
  }
}

int exit_code_of(int status) {
  return WIFSIGNALED(status) ? kSignalExitBase + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace lockbench
