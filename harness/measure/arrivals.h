// SPDX-License-Identifier: Apache-2.0

// Arrivals: when the operations of an open loop are meant to start, whatever became of those
// before.
//
// A closed loop asks for the lock only when it is done with the last operation, so a lock that
// stalls is asked less often just then, and the stall hardly shows (coordinated omission). An open
// loop goes by a schedule that the lock knows nothing of; waits count from the schedule's times.
//
// All threads together arrive `rate_per_s` times a second. Poisson: each thread with gaps drawn
// from an exponential distribution, which together is a Poisson stream again. Fixed: the k-th
// arrival of all at k / rate, dealt round the threads.
#pragma once

#include <cmath>
#include <cstdint>

#include "harness/plan/cell.h"
#include "workloads/random.h"

namespace lockbench {

class Arrivals {
 public:
  Arrivals(const Cell& cell, std::uint32_t thread, std::uint64_t seed)
      : poisson_(cell.arrivals == ArrivalKind::kPoisson),
        gap_ns_(1e9 * cell.threads / static_cast<double>(cell.rate_per_s)),
        next_ns_(gap_ns_ * thread / cell.threads),
        random_(seed) {
    if (poisson_) next_ns_ = exponential_gap();
  }

  // Nanoseconds from the opening of the window to the next arrival; ascending.
  double next() {
    const double due = next_ns_;
    next_ns_ += poisson_ ? exponential_gap() : gap_ns_;
    return due;
  }

 private:
  double exponential_gap() { return -std::log1p(-random_.unit()) * gap_ns_; }

  bool poisson_;
  double gap_ns_;  // between two arrivals of this thread, on average
  double next_ns_;
  Random random_;
};

}  // namespace lockbench
