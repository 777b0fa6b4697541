// Calibration: what measuring itself costs on this machine, now.
//
// The figures stand in meta.json beside those that they bear on. Nothing is subtracted from any
// row: a reader sees both.
#pragma once

#include <vector>

#include "workloads/settings.h"

namespace lockbench {

// How long a spin really took.
struct HoldAccuracy {
  Nanoseconds asked{0};
  double got_ns = 0;  // median of several rows of holds

  bool operator==(const HoldAccuracy&) const = default;
};

struct Calibration {
  double clock_ns = 0;  // one reading of the clock

  // One operation of `counter` on one key under `none`, at one thread: what the measured loop costs
  // beyond a primitive, when nothing is timed, a random 1 in 64 and every operation.
  double floor_untimed_ns = 0;
  double floor_sampled_ns = 0;
  double floor_timed_ns = 0;

  std::vector<HoldAccuracy> holds;  // spins of 100 ns to 1 ms

  bool operator==(const Calibration&) const = default;
};

// Takes about 0.2 s. Requires that no trial runs meanwhile.
Calibration calibrate();

}  // namespace lockbench
