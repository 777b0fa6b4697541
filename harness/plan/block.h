// SPDX-License-Identifier: Apache-2.0

// Blocks: one pass over the cells, in a new random order.
#pragma once

#include <span>

#include "harness/plan/cell.h"

namespace lockbench {

// Adds one more block of `cells` to the plan, which contains each cell once. The order, and the
// seed that its trials share, depend only on the plan's seed and the block's number.
void append_block(Plan& plan, std::span<const Cell> cells);

}  // namespace lockbench
