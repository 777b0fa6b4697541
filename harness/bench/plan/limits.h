// SPDX-License-Identifier: Apache-2.0

// Limits: which cells can be measured, and how long a trial may take.
//
// Pure arithmetic on the fields of the cell; no clock is read. Results are at most
// kLongestDuration.
#pragma once

#include <absl/status/status.h>

#include "harness/bench/plan/cell.h"

namespace lockbench {

// The properties of a cell's primitive and workload that affect durations and loads. They come from
// the catalog.
struct CellTraits {
  std::uint32_t acquisitions_per_operation = 1;
  std::uint64_t holders_of_a_key = 1;    // this number of threads may hold one key at once
  bool excludes = true;                  // otherwise it is no lock, and any number of threads hold
  bool one_lock = false;                 // all keys share one lock
  std::uint32_t keys_per_operation = 1;  // held at the same time
  bool at_service = false;               // an acquisition is a request to a server
  // From the machine, not the catalog:
  std::uint32_t processors = 1;  // that the threads may use
  double slowest_work = 1;       // at most so many times as long as planned, on the slowest core
};

// OK, or an InvalidArgument that names the field: a count out of range, a negative time, a window
// or operations that are missing although the mode needs them, assigned counts with a wrong sum.
absl::Status check_cell(const Cell& cell);

// If no thread makes progress for this time, the trial counts as a deadlock. It is at least 2 s and
// 20 times the duration of one operation by itself, because sleeping threads wake up late. At a
// service it is at least 15 s, because two answers that do not come take 4 s, and the hold of a
// client that was lost lasts for its lease, usually 10 s. 10 ms for every thread are added, because
// the holder of a spinning lock may have to wait for the processor until all threads that spin have
// run.
Nanoseconds stall_limit_of(const Cell& cell, const CellTraits& traits);

// The limit for the whole trial, with the start and the end of its threads. Timed mode: warm-up,
// window, and the time in which every thread that still waits gets the lock. Fixed mode: all holds
// one after the other. The limit is twice that time plus twice the stall limit.
Nanoseconds time_limit_of(const Cell& cell, const CellTraits& traits);

// The probable duration of a trial, for progress and --dry-run, without the start of its process.
// Timed mode: warm-up and window. Fixed mode: the greater of two times. One is all holds of the
// busiest key, or, if all keys share one lock, all holds. The other is the time of the longest
// thread. Collisions of stripes and the cost of the lock itself are not included.
Nanoseconds expected_duration(const Cell& cell, const CellTraits& traits);

}  // namespace lockbench
