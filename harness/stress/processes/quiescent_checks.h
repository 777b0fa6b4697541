// SPDX-License-Identifier: Apache-2.0

// QuiescentChecks: checks the state that an epoch leaves when its processes have ended.
#pragma once

#include "harness/stress/processes/epoch_context.h"

namespace lockbench::stress::processes {

// Checks whether a new process can acquire every key, and all of them together if each key has its
// own lock; another process each key but one that the first one holds; and again all of them after
// a process has died that held a key, unless the lock excludes that. Returns false if an oracle
// failed; then the shared state contains the failure. All processes have ended when it returns.
bool check_quiescent_state(const EpochContext& context);

}  // namespace lockbench::stress::processes
