// SPDX-License-Identifier: Apache-2.0

// Expand: expands a preset into the plan that is run.
//
// Every block contains every cell once, in a new random order. The trials of a block have one seed,
// so that all cells draw the same keys. The same preset and seed give the same plan, byte for byte,
// on every machine.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include <absl/status/statusor.h>

#include "harness/bench/plan/cell.h"
#include "harness/bench/plan/limits.h"
#include "harness/bench/plan/preset.h"

namespace lockbench {

// Adds one more block of `cells` to the plan, which contains each cell once. The order, and the
// seed that its trials share, depend only on the plan's seed and the block's number.
void append_block(Plan& plan, std::span<const Cell> cells);

// Returns whether a cell can be measured, and the properties that its limits depend on, from the
// catalog. FailedPrecondition: everything in the cell exists but cannot be combined. Any other
// error: something in the cell is wrong.
using CellCheck = std::function<absl::StatusOr<CellTraits>(const Cell&)>;

inline constexpr std::size_t kMostTrials = 100'000;

// The cross product of each sweep, with defaults and limits filled in. A cell that occurs several
// times is measured once per block. If a cell fails, the error names the sweep's position, the cell
// and the reason. A sweep with `skip_unsupported` leaves out the cells that fail with
// FailedPrecondition; it is an error if a primitive then has no cell in the whole plan.
// Cells that cannot reach their load are left out; it is an error if a sweep then has no cell, or,
// in a sweep with `every_load`, if a load has none in the whole plan.
// Warm-ups and windows are lengthened to what their cells need (see window.h), except exact ones;
// the plan says for how many cells.
absl::StatusOr<Plan> expand(const Preset& preset, const CellCheck& check);

}  // namespace lockbench
