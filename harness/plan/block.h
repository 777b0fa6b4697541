// SPDX-License-Identifier: Apache-2.0

// Blocks: one pass over the cells, in a new random order.
#pragma once

#include <span>

#include "harness/plan/cell.h"

namespace lockbench {

// Adds one more block of `cells` to the plan: each once, in an order that follows from the plan's
// seed and the block's number alone, as does the seed that its trials share.
void append_block(Plan& plan, std::span<const Cell> cells);

}  // namespace lockbench
