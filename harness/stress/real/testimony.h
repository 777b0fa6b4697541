// SPDX-License-Identifier: Apache-2.0

// Testimony: what a board says, in words.
#pragma once

#include <string>
#include <vector>

#include "harness/stress/finding.h"
#include "harness/stress/real/board.h"
#include "harness/stress/suspect.h"

namespace lockbench::stress::real {

// The charge on the board as a finding. Requires that there is one.
Finding finding_on(const Board& board, const Abilities& abilities);

// The last events of each thread in the epoch under way, one a line, in the order of their times.
std::vector<std::string> story_on(const Board& board);

}  // namespace lockbench::stress::real
