// SPDX-License-Identifier: Apache-2.0

// Epoch: some dozen milliseconds of threads at a lock of their own; then all must stop, and what
// they leave is looked at.
#pragma once

#include "harness/stress/registered_lock.h"
#include "harness/stress/threads/epoch_plan.h"
#include "harness/stress/threads/shared_state.h"

namespace lockbench::stress::threads {

// Runs in a process of its own. Returns when no oracle failed; else notes the failure in the state
// and ends the process, without waiting for threads that stand still.
void run_epoch(SharedState& state, const RegisteredLock& entry, const EpochPlan& plan);

}  // namespace lockbench::stress::threads
