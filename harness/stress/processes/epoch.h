// SPDX-License-Identifier: Apache-2.0

// Epoch: processes use their own lock for a tenth of a second; then all must end, and the quiescent
// state is checked.
#pragma once

#include "harness/stress/processes/epoch_context.h"
#include "harness/stress/processes/fault_injector.h"
#include "harness/stress/processes/shared_state.h"
#include "harness/stress/registered_lock.h"

namespace lockbench::stress::processes {

// Returns true if no failure was found; otherwise the shared state contains the failure. All
// processes have ended when it returns. Requires: this process has one thread.
bool run_epoch(SharedState& state, const RegisteredLock& entry, const EpochPlan& plan,
               InjectedFaults& injected);

}  // namespace lockbench::stress::processes
