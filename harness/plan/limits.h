// SPDX-License-Identifier: Apache-2.0

// Limits: which cells can be measured at all, and how long one may take.
//
// Pure arithmetic on what the cell says; no clock is read. Results are capped at kLongestDuration.
#pragma once

#include <absl/status/status.h>

#include "harness/plan/cell.h"

namespace lockbench {

// What a cell's primitive and workload say of durations. The catalog knows it.
struct CellTraits {
  std::uint32_t acquisitions_per_operation = 1;
  std::uint64_t holders_of_a_key = 1;  // so many may hold one key at once
  bool one_lock = false;               // all keys wait for one lock
};

// OK, or an InvalidArgument that names the field: counts out of range, negative times, a window or
// operations that the mode lacks, assigned counts that do not add up.
absl::Status check_cell(const Cell& cell);

// Without progress of any thread for so long, the trial counts as a deadlock. At least 2 s and 20
// times what one operation takes by itself, for sleepers wake late; and 10 ms for every thread, for
// a spinning lock's holder may wait for its turn behind all who spin.
Nanoseconds stall_limit_of(const Cell& cell, const CellTraits& traits);

// The whole trial, threads started and ended. Timed mode: warm-up and window, and the time in which
// every thread that still waits gets its turn. Fixed mode: all holds one after the other. Twice
// that, and twice the stall limit on top.
Nanoseconds time_limit_of(const Cell& cell, const CellTraits& traits);

// What a trial is likely to take, for progress and --dry-run; starting its process not included.
// Timed mode: warm-up and window. Fixed mode: the holds of the busiest key in turn, or all holds
// with one lock for all keys; or the longest thread, whichever is greatest. Stripes that collide
// and what the lock itself costs come on top.
Nanoseconds expected_duration(const Cell& cell, const CellTraits& traits);

}  // namespace lockbench
