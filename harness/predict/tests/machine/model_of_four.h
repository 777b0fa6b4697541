// SPDX-License-Identifier: Apache-2.0

// A machine with round figures, so that tests can compute times by hand.
#pragma once

#include "harness/predict/machine/machine_model.h"

namespace lockbench::machine {

inline constexpr Picoseconds kNs = kPerNanosecond;
inline constexpr Picoseconds kUs = 1000 * kNs;

// Four cores, 100 ns from each to each. Reading the clock is free, so that threads can tell the
// time.
inline MachineModel model_of_four() {
  MachineModel model{.name = "four", .title = "four cores", .cores_per_cluster = 4};
  model.sources = {{.author = "nobody", .title = "none", .year = 2000, .figures = "made up"}};
  model.latency.assign(16, 100 * kNs);
  for (std::size_t core = 0; core < 4; ++core) model.latency[core * 5] = 0;
  model.access = {.hit = 1 * kNs,
                  .store = 2 * kNs,
                  .rmw = 10 * kNs,
                  .memory = 50 * kNs,
                  .pause = 5 * kNs,
                  .clock = 0,
                  .operation = 4 * kNs};
  model.scheduler = {.slice = 10 * kUs,
                     .granularity = 5 * kUs,
                     .context_switch = 1 * kUs,
                     .yield = 300 * kNs,
                     .futex_call = 100 * kNs,
                     .futex_wait = 500 * kNs,
                     .futex_wake = 300 * kNs,
                     .wakeup = 2 * kUs,
                     .membarrier = 700 * kNs,
                     .interrupt = 400 * kNs};
  return model;
}

// The same with one core.
inline MachineModel model_of_one() {
  MachineModel model = model_of_four();
  model.cores_per_cluster = 1;
  model.latency = {0};
  return model;
}

}  // namespace lockbench::machine
