// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/real/watched_child.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/stress/real/standstill.h"
#include "harness/stress/real/task_state.h"

namespace lockbench::stress::real {
namespace {

constexpr int kTickMs = 10;
constexpr std::chrono::milliseconds kPatience{500};

[[noreturn]] void be_the_child(const std::function<void()>& body) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_TIMERSLACK, 1UL);  // sleeps of some microseconds are to take no more
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &none);
  body();
  _exit(0);
}

std::string said_of(int status) {
  if (WIFSIGNALED(status)) return "the process died of signal " + std::to_string(WTERMSIG(status));
  if (WEXITSTATUS(status) == 0) return "";
  return "the process ended itself with code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

ChildEnd watch_child(const std::function<void()>& body,
                     const std::function<std::uint64_t()>& told) {
  int alive[2];  // a pipe that hangs up when the child has gone, whatever became of it
  if (pipe(alive) != 0) std::abort();
  const pid_t child = fork();
  if (child == -1) std::abort();
  if (child == 0) {
    close(alive[0]);
    be_the_child(body);
  }
  close(alive[1]);
  Standstill standstill(kPatience);
  ChildEnd end;
  for (pollfd gone{.fd = alive[0], .events = POLLIN, .revents = 0};
       !end.stood_still && poll(&gone, 1, kTickMs) <= 0;) {
    end.stood_still = standstill.reached(told(), child, tasks_of(child));
  }
  if (end.stood_still) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) == -1 && errno == EINTR) {
  }
  close(alive[0]);
  if (!end.stood_still) end.says = said_of(status);
  return end;
}

}  // namespace lockbench::stress::real
