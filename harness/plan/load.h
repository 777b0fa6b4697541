// SPDX-License-Identifier: Apache-2.0

// Load: how busy the operations of a cell would keep its busiest key, if waiting and locking took
// no time.
//
// Threads that compute share the processors: `threads` of them on fewer processors work as often as
// one thread on each processor. Threads that sleep between two operations use no processor
// meanwhile, so each of them counts. With n threads that count, an operation that holds a key for
// `hold`, `think` between two operations, and the share p of the operations that is for the busiest
// key, of which `capacity` threads may hold it at once:
//
//   load = n * p * hold / (capacity * (hold + think))
//
// Pure arithmetic on the fields of the cell.
#pragma once

#include <optional>

#include <absl/status/statusor.h>

#include "harness/plan/cell.h"
#include "harness/plan/limits.h"

namespace lockbench {

// The share of the operations that is for the busiest key, from 0 to 1. O(keys) for zipf.
double busiest_key_share(const Cell& cell);

// The think time that gives the cell's load, which it must have: exponentially distributed,
// computed or slept as the load says. InvalidArgument if the cell is not one of which a load is
// known (no hold, one without a duration, several keys or holds in an operation, a mode other than
// `timed`). FailedPrecondition if the threads cannot reach the load even without think time; the
// message says how far they get.
absl::StatusOr<Work> think_for_load(const Cell& cell, const CellTraits& traits);

}  // namespace lockbench
