// SPDX-License-Identifier: Apache-2.0

// Epoch: a tenth of a second of processes at a lock of their own; then all must end, and what
// they leave is looked at.
#pragma once

#include "harness/stress/processes/epoch_context.h"
#include "harness/stress/processes/fault_injector.h"
#include "harness/stress/processes/shared_state.h"
#include "harness/stress/registered_lock.h"

namespace lockbench::stress::processes {

// True when nothing was found; else the failure is in the shared state. All processes have gone.
// Must be called while this process has one thread.
bool run_epoch(SharedState& state, const RegisteredLock& entry, const EpochPlan& plan,
               InjectedFaults& injected);

}  // namespace lockbench::stress::processes
