// SPDX-License-Identifier: Apache-2.0

// Epoch: threads use their own lock for some tens of milliseconds; then all must stop, and the
// quiescent state is checked.
#pragma once

#include "harness/stress/registered_lock.h"
#include "harness/stress/threads/epoch_plan.h"
#include "harness/stress/threads/shared_state.h"

namespace lockbench::stress::threads {

// Call it in a child process. Returns if no oracle failed. Otherwise it records the failure in the
// state and ends the process without waiting for stalled threads.
void run_epoch(SharedState& state, const RegisteredLock& entry, const EpochPlan& plan);

}  // namespace lockbench::stress::threads
