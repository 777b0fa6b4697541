// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/supervision/forked_child.h"

#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/stress/supervision/children.h"

namespace lockbench::stress {
namespace {

[[noreturn]] void run_as_child(const std::function<void()>& body) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_TIMERSLACK, 1UL);  // makes sleeps of a few microseconds short
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &none);
  body();
  _exit(0);
}

}  // namespace

ForkedChild::ForkedChild(const std::function<void()>& body) {
  int alive[2];
  if (pipe(alive) != 0) end_without_process();
  pid_ = fork();
  if (pid_ == -1) end_without_process();
  if (pid_ == 0) {
    close(alive[0]);
    run_as_child(body);
  }
  close(alive[1]);
  alive_ = alive[0];
}

ForkedChild::~ForkedChild() {
  close(alive_);
}

bool ForkedChild::ends_within(std::chrono::milliseconds patience) const {
  pollfd end{.fd = alive_, .events = POLLIN, .revents = 0};
  return poll(&end, 1, static_cast<int>(patience.count())) > 0;
}

void ForkedChild::kill() const {
  ::kill(pid_, SIGKILL);
}

int ForkedChild::status() const {
  int status = 0;
  while (waitpid(pid_, &status, 0) == -1 && errno == EINTR) {
  }
  return status;
}

}  // namespace lockbench::stress
