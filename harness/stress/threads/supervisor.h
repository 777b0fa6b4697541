// SPDX-License-Identifier: Apache-2.0

// Supervisor: runs the threads of a lock in a child process and watches it. If they crash or hang,
// only that process is lost.
#pragma once

#include <chrono>
#include <functional>

#include "harness/stress/threads/shared_state.h"

namespace lockbench::stress::threads {

enum class Supervised {
  kReturned,
  kFailed,      // the state has a failure
  kUnfinished,  // `body` was ended because the time was over
  kNoThreads,   // the machine refused a thread of the engine
};

// Runs `body` in a child process until it returns, crashes, ends the process or stalls, or until
// the time `ends_by`. The child has ended when this function returns. Only the child writes the
// state while it runs. Calls `look` about ten times a second.
// Requires: this process has one thread.
Supervised supervise(SharedState& state, const std::function<void()>& body,
                     const std::function<void()>& look,
                     std::chrono::steady_clock::time_point ends_by);

}  // namespace lockbench::stress::threads
