// SPDX-License-Identifier: Apache-2.0

// WatchedChild: runs a function in a child process and kills the child if its threads are stalled
// (StallDetector). abnormal_end(): what the status of a process that ended shows to the oracles.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <sys/wait.h>

#include "harness/stress/oracles/seen.h"

namespace lockbench::stress {

// `status` is waitpid()'s. Absent if the process exited with 0. `thread`: who ended, if known.
inline std::optional<ProcessEnd> abnormal_end(int status, std::uint32_t thread = kNoThread) {
  if (WIFSIGNALED(status)) return ProcessEnd{.thread = thread, .signal = WTERMSIG(status)};
  if (WEXITSTATUS(status) == 0) return std::nullopt;
  return ProcessEnd{.thread = thread, .exit_code = WEXITSTATUS(status)};
}

struct ChildEnd {
  bool stalled = false;  // the threads stalled, and the child was killed
  std::string says;      // `the process died of signal 11`; empty: exited with 0, or was killed
};

// Says what a process did that ended with `status`, which is waitpid()'s: `who died of signal 11`.
// Empty if it exited with 0.
std::string status_text(const std::string& who, int status);

// Calls `progress` in this process; it returns a number that changes whenever the child makes
// progress. Requires: this process has one thread. Does not return if no process can be
// created (children.h).
ChildEnd watch_child(const std::function<void()>& body,
                     const std::function<std::uint64_t()>& progress);

}  // namespace lockbench::stress
