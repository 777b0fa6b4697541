// SPDX-License-Identifier: Apache-2.0

// Supervisor: runs the threads of a lock in a child process and watches it. If they crash or hang,
// only that process is lost.
#pragma once

#include <functional>

#include "harness/stress/threads/shared_state.h"

namespace lockbench::stress::threads {

// Runs `body` in a child process until it returns, crashes, ends the process or stalls. The child
// has ended when this function returns. Returns true if `body` returned; otherwise the state has a
// failure. Only the child writes the state while it runs. Calls `look` about ten times a second.
// Requires: this process has one thread.
bool supervise(SharedState& state, const std::function<void()>& body,
               const std::function<void()>& look);

}  // namespace lockbench::stress::threads
