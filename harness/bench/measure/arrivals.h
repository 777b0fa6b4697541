// SPDX-License-Identifier: Apache-2.0

// Arrivals: the times at which the operations of an open loop are due, whether or not the earlier
// operations have ended.
//
// A closed loop requests the lock only when the last operation has ended. A lock that stalls is
// therefore requested less often during the stall, and the stall hardly shows in the figures
// (coordinated omission). An open loop follows a schedule that does not depend on the lock, and
// waits count from the scheduled times.
//
// All threads together arrive `rate_per_s` times a second. Poisson: the gaps of each thread are
// drawn from an exponential distribution; all threads together are then a Poisson stream again.
// Fixed: the k-th arrival of all threads is at k / rate, and the threads take turns.
#pragma once

#include <cmath>
#include <cstdint>

#include "harness/bench/plan/cell.h"
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
