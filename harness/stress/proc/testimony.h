// SPDX-License-Identifier: Apache-2.0

// Testimony: what a board says, in words.
#pragma once

#include <string>
#include <vector>

#include "harness/stress/finding.h"
#include "harness/stress/proc/board.h"

namespace lockbench::stress::proc {

// Requires a fault. Pure.
Finding finding_from(const Charge& charge);

// The last events of each process in the epoch under way, one a line, in the order of their times.
std::vector<std::string> story_on(const Board& board);

}  // namespace lockbench::stress::proc
