// SPDX-License-Identifier: Apache-2.0

// ForkedChild: something done in a process of its own, which dies with its parent and leaves no
// core.
//
// Must be made while this process has one thread. Aborts when there is no process to be had.
#pragma once

#include <chrono>
#include <functional>
#include <sys/types.h>

namespace lockbench::stress {

class ForkedChild {
 public:
  explicit ForkedChild(const std::function<void()>& body);
  ForkedChild(const ForkedChild&) = delete;
  ForkedChild& operator=(const ForkedChild&) = delete;
  ~ForkedChild();

  pid_t pid() const { return pid_; }

  // Whether it has gone, whatever became of it; waits for that at most so long.
  bool gone_within(std::chrono::milliseconds patience) const;

  void kill() const;

  // Its end, as waitpid() tells it; waits for it. To be called once.
  int status() const;

 private:
  int alive_;  // the end of a pipe that hangs up when the child has gone
  pid_t pid_;
};

}  // namespace lockbench::stress
