// SPDX-License-Identifier: Apache-2.0

// Epoch: some dozen milliseconds of threads at a suspect of their own; then all must stop, and what
// they leave is looked at.
#pragma once

#include "harness/stress/real/board.h"
#include "harness/stress/real/epoch_plan.h"
#include "harness/stress/suspect.h"

namespace lockbench::stress::real {

// Runs in a process of its own. Returns when nothing was found; else ends the process, the charge
// on the board, without waiting for threads that stand still.
void run_epoch(Board& board, const Lineup& lineup, const EpochPlan& plan);

}  // namespace lockbench::stress::real
