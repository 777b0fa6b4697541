// SPDX-License-Identifier: Apache-2.0

// Load: how busy the operations of a cell would keep its busiest key, if waiting and locking took
// no time.
//
// Threads that compute share the processors: `threads` of them on fewer processors work as often as
// one thread on each processor. Threads that sleep between two operations use no processor
// meanwhile, so each of them counts. With n threads that count, an operation that holds for `hold`
// in all (a workload may hold several times), `think` between two operations, and the share p of
// the operations that hold the busiest key (a workload may hold several keys at once), of which
// `capacity` threads may hold it at once:
//
//   load = n * p * hold / (capacity * (hold + think))
//
// Operations that only read count as if they excluded each other: as with a mutex.
//
// Pure arithmetic on the fields of the cell.
#pragma once

#include <algorithm>
#include <optional>

#include <absl/status/statusor.h>

#include "harness/bench/plan/cell.h"
#include "harness/bench/plan/limits.h"

namespace lockbench {

// The share of the operations that is for the busiest key, from 0 to 1. O(keys) for zipf.
double busiest_key_share(const Cell& cell);

// The think time that gives the cell's load, which it must have: exponentially distributed,
// computed or slept as the load says. InvalidArgument if the cell is not one of which a load is
// known (no hold, one without a duration, a mode other than `timed`). FailedPrecondition if the
// threads cannot reach the load even without think time; the message says how far they get.
absl::StatusOr<Work> think_for_load(const Cell& cell, const CellTraits& traits);

// The highest load that the threads reach, without think time, at most 1. `sleeps`: as in Load.
// InvalidArgument as think_for_load().
absl::StatusOr<double> highest_load(const Cell& cell, const CellTraits& traits, bool sleeps);

// The highest rates of a cell's threads together, in operations per second, by what limits them.
struct RateLimits {
  double busiest_key_share = 0;  // of the operations, those that hold the busiest key
  double threads_per_s = 0;      // that do nothing else
  double processors_per_s = 0;   // infinite if holds sleep
  double key_per_s = 0;          // the busiest key, whatever the lock
  double mutex_per_s = 0;        // the same if operations that read exclude each other: a full load

  double least_per_s() const { return std::min({threads_per_s, processors_per_s, key_per_s}); }
};

// InvalidArgument as think_for_load(). If a share of the operations writes, the others hold the
// busiest key together.
absl::StatusOr<RateLimits> rate_limits(const Cell& cell, const CellTraits& traits);

// How a cell keeps a rate.
struct Pace {
  std::optional<Load>
      load;  // absent: more than a mutex can do, and operations that read share a key
  Work think;
};

// The pace of a cell whose threads together begin `per_s` operations in a second. The load, to four
// digits:
//
//   load = per_s * p * hold / capacity
//
// The threads sleep between operations, as those of a server, which wait for requests. They compute
// if a sleep could not keep the rate: if it would be shorter than the kernel is precise, or if the
// processors had no time to put so many threads to sleep and to wake them.
//
// InvalidArgument as think_for_load(). FailedPrecondition if threads, processors or the busiest key
// cannot do so much; the message says which, and how much they can.
absl::StatusOr<Pace> pace_for_rate(const Cell& cell, double per_s, const CellTraits& traits);

}  // namespace lockbench
