// SPDX-License-Identifier: Apache-2.0

// Calibration: what measuring itself costs on this machine, now.
//
// The figures stand in meta.json beside those that they bear on. Nothing is subtracted from any
// row: a reader sees both.
#pragma once

#include <optional>
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
  // beyond a primitive, when nothing is timed, a random 1 in 64 and every operation. Absent where
  // this machine was too busy, or had no thread to spare, to measure it.
  std::optional<double> floor_untimed_ns;
  std::optional<double> floor_sampled_ns;
  std::optional<double> floor_timed_ns;

  std::vector<HoldAccuracy> holds;  // spins of 100 ns to 1 ms

  bool operator==(const Calibration&) const = default;
};

// Takes about 0.2 s. Requires that no trial runs meanwhile.
Calibration calibrate();

}  // namespace lockbench
