// SPDX-License-Identifier: Apache-2.0

// OwnThread: a thread of the engine. A machine may refuse it (ulimit -u, pids.max of a control
// group), which is no fault of the lock: the process of the epoch then ends, and the supervisor
// learns why.
#pragma once

#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include "harness/stress/threads/shared_state.h"

namespace lockbench::stress::threads {

// Returns the thread, or does not return.
template <class Body>
std::thread own_thread(SharedState& state, Body body) {
  try {
    return std::thread(std::move(body));
  } catch (const std::system_error&) {
    put(state.no_more_threads, 1);
    _exit(0);
  }
}

}  // namespace lockbench::stress::threads
