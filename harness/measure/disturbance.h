// SPDX-License-Identifier: Apache-2.0

// Disturbance: whether something outside the lock spoilt a trial.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/measure/sample.h"
#include "harness/plan/cell.h"

namespace lockbench {

// What the kernel counted for the whole machine so far, in seconds of all processors together.
struct HostUsage {
  double busy_s = 0;    // by anybody here
  double stolen_s = 0;  // by the host: this machine was runnable and did not run
  double total_s = 0;   // that has passed, times the processors

  // Absent where /proc/stat does not tell. Its clock ticks 100 times a second.
  static std::optional<HostUsage> now();
};

// Writes `steal_share` and `other_cpu_share` between the two into `sample`, whose CPU times are
// known. Absent where less than 20 ticks have passed: shares of so little mean nothing.
void add_host_usage(const HostUsage& before, const HostUsage& after, Sample& sample);

// From where on a trial is not to be believed.
struct DisturbanceLimits {
  double least_overlap = 0.95;
  double most_steal = 0.10;    // share of the machine's time
  double most_stretch = 0.25;  // of the window, beyond what was asked for
};

// Why the trial's figures are not to be believed, in one line; empty when nothing is known against
// them. Overlap and stretch are judged where time decides, not where work is fixed: there threads
// end when they are done. Pure.
std::string disturbance_of(const Cell& cell, const Sample& sample,
                           const DisturbanceLimits& limits = {});

}  // namespace lockbench
