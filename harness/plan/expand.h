// SPDX-License-Identifier: Apache-2.0

// Expand: a preset into the plan that is run.
//
// Every block holds every cell once, in a new random order; the trials of a block have one seed,
// so that all cells draw the same keys. The same preset and seed give the same plan, byte for byte,
// on every machine.
#pragma once

#include <cstddef>
#include <functional>

#include <absl/status/statusor.h>

#include "harness/plan/cell.h"
#include "harness/plan/limits.h"
#include "harness/plan/preset.h"

namespace lockbench {

// Whether a cell can be measured, and what its limits depend on: asks the catalog.
// FailedPrecondition says that everything in it exists but does not go together; any other error,
// that something in it is wrong.
using CellCheck = std::function<absl::StatusOr<CellTraits>(const Cell&)>;

inline constexpr std::size_t kMostTrials = 100'000;

// The cross product of each sweep, defaults and limits filled in; a cell that comes up again is
// measured once per block. A cell that fails is an error that names the sweep's place, the cell and
// the reason; except that a sweep with `skip_unsupported` leaves out what fails by
// FailedPrecondition, unless a primitive has no cell left in the whole plan.
absl::StatusOr<Plan> expand(const Preset& preset, const CellCheck& check);

}  // namespace lockbench
