// SPDX-License-Identifier: Apache-2.0

// Supervisor: a lock's threads in a process of their own, and somebody who watches over it. What
// crashes or hangs there costs that process and nothing else.
#pragma once

#include <functional>

#include "harness/stress/threads/shared_state.h"

namespace lockbench::stress::threads {

// Runs `body` in a child process until it returns, crashes, ends the process or stands still; then
// the child is gone. True when `body` returned; else the state has a failure. The state is the
// child's alone meanwhile; `look` is called about ten times a second. Must be called while this
// process has one thread.
bool supervise(SharedState& state, const std::function<void()>& body,
               const std::function<void()>& look);

}  // namespace lockbench::stress::threads
