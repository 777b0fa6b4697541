// SPDX-License-Identifier: Apache-2.0

// QuiescentChecks: what an epoch leaves, looked at when its threads have gone.
#pragma once

#include <memory>
#include <vector>

#include "harness/stress/threads/checked_thread.h"
#include "harness/stress/threads/epoch_context.h"
#include "harness/stress/threads/shared_state.h"

namespace lockbench::stress::threads {

// Conservation, residue, a pristine state, an order that explains the history, independence of
// keys. Returns when all is well; else failed.
void check_quiescent_state(EpochContext& context,
                           const std::vector<std::unique_ptr<CheckedThread>>& threads);

}  // namespace lockbench::stress::threads
