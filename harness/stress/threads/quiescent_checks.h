// SPDX-License-Identifier: Apache-2.0

// QuiescentChecks: checks the state that an epoch leaves when its threads have ended.
#pragma once

#include <memory>
#include <vector>

#include "harness/stress/threads/checked_thread.h"
#include "harness/stress/threads/epoch_context.h"
#include "harness/stress/threads/shared_state.h"

namespace lockbench::stress::threads {

// Checks conservation, residue, that the lock is free, that some order of the calls explains the
// history, and that keys are independent. Returns if everything is correct; otherwise the epoch
// fails.
void check_quiescent_state(EpochContext& context,
                           const std::vector<std::unique_ptr<CheckedThread>>& threads);

}  // namespace lockbench::stress::threads
