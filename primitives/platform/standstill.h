// SPDX-License-Identifier: Apache-2.0

// Standstill: this process stops as a machine does that is suspended: with all its threads, and
// without knowing.
#pragma once

#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockbench::platform {

namespace internal {

inline void sleep_uninterrupted(std::chrono::milliseconds time) {
  timespec left{.tv_sec = static_cast<time_t>(time.count() / 1000),
                .tv_nsec = static_cast<long>(time.count() % 1000 * 1'000'000)};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

// Wakes its parent, again and again: the first signal may come before the parent has stopped. Uses
// what a child of a process with threads may use.
[[noreturn]] inline void wake(pid_t parent, std::chrono::milliseconds after) {
  constexpr std::chrono::milliseconds kAgain{50};
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (std::chrono::milliseconds wait = after; getppid() == parent; wait = kAgain) {
    sleep_uninterrupted(wait);
    kill(parent, SIGCONT);
  }
  _exit(0);
}

}  // namespace internal

// Returns when about `time` is over. Does nothing if no process can be started.
// Requires: nothing else waits for children of this process.
inline void stand_still(std::chrono::milliseconds time) {
  const pid_t self = getpid();
  const pid_t waker = fork();
  if (waker < 0) return;
  if (waker == 0) internal::wake(self, time);
  // To the process: all its threads have stopped when the call returns, this one included.
  kill(self, SIGSTOP);
  kill(waker, SIGKILL);
  while (waitpid(waker, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace lockbench::platform
