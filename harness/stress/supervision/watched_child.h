// SPDX-License-Identifier: Apache-2.0

// WatchedChild: runs a function in a child process and kills the child if its threads are stalled
// (StallDetector).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace lockbench::stress {

struct ChildEnd {
  bool stalled = false;  // the threads stalled, and the child was killed
  std::string says;      // `the process died of signal 11`; empty: exited with 0, or was killed
};

// What a process did that ended with `status`, which is waitpid()'s: `who died of signal 11`. Empty
// if it exited with 0.
std::string status_text(const std::string& who, int status);

// Calls `progress` in this process; it returns a number that changes whenever the child makes
// progress. Requires: this process has one thread. Aborts if no process can be created.
ChildEnd watch_child(const std::function<void()>& body,
                     const std::function<std::uint64_t()>& progress);

}  // namespace lockbench::stress
