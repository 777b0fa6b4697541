// SPDX-License-Identifier: Apache-2.0

// Epoch: a tenth of a second of processes at a suspect of their own; then all must end, and what
// they leave is looked at.
#pragma once

#include "harness/stress/proc/board.h"
#include "harness/stress/proc/nemesis.h"
#include "harness/stress/proc/stage.h"
#include "harness/stress/suspect.h"

namespace lockbench::stress::proc {

// True when nothing was found; else the charge is on the board. All processes have gone. Must be
// called while this process has one thread.
bool run_epoch(Board& board, const Lineup& lineup, const EpochPlan& plan, Deeds& deeds);

}  // namespace lockbench::stress::proc
