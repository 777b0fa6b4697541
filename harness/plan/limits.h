// SPDX-License-Identifier: Apache-2.0

// Limits: which cells can be measured at all, and how long one may take.
//
// Pure arithmetic on what the cell says; no clock is read. Results are capped at kLongestDuration.
#pragma once

#include <absl/status/status.h>

#include "harness/plan/cell.h"

namespace lockbench {

// OK, or an InvalidArgument that names the field: counts out of range, negative times, a window or
// operations that the mode lacks, assigned counts that do not add up.
absl::Status check_cell(const Cell& cell);

// Without progress of any thread for so long, the trial counts as a deadlock. At least 2 s and 20
// times what one operation takes by itself, for sleepers wake late; and 10 ms for every thread, for
// a spinning lock's holder may wait for its turn behind all who spin.
Nanoseconds stall_limit_of(const Cell& cell);

// The whole trial, threads started and ended. Timed mode: warm-up and window, and the time in which
// every thread that still waits gets its turn. Fixed mode: all holds one after the other. Twice
// that, and twice the stall limit on top.
Nanoseconds time_limit_of(const Cell& cell);

// What a trial is likely to take, for progress and --dry-run; starting its process not included.
// Timed mode: warm-up and window. Fixed mode: the holds of the busiest key in turn, as with a lock
// of its own that lets `leases` in at once; all holds in turn for `global`; or the longest thread,
// whichever is greatest. Stripes that collide and what the lock itself costs come on top.
Nanoseconds expected_duration(const Trial& trial);

}  // namespace lockbench
