// SPDX-License-Identifier: Apache-2.0

// ForkedChild: runs a function in a child process. The child is killed if its parent dies, and
// leaves no core file.
//
// Requires: this process has one thread when the child is made. Does not return if no process can
// be created (children.h).
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

  // Waits at most `patience` for the child to end. Returns whether it has ended, in whatever way.
  bool ends_within(std::chrono::milliseconds patience) const;

  void kill() const;

  // Waits for the end of the child and returns its status as waitpid() reports it. Call it once.
  int status() const;

 private:
  int alive_;  // read end of a pipe that hangs up when the child has ended
  pid_t pid_;
};

}  // namespace lockbench::stress
