// SPDX-License-Identifier: Apache-2.0

// Disturbance: whether something other than the lock disturbed a trial.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/bench/measure/processor_use.h"
#include "harness/bench/measure/sample.h"
#include "harness/bench/plan/cell.h"
#include "harness/kernel/cgroup.h"

namespace lockbench {

// Writes `steal_share` and `other_cpu_share` into `sample`, whose CPU times are known. Both are
// shares of the time of the trial's processors in the window. They stay absent if fewer than 20
// ticks have passed, because shares of so little time mean nothing.
void add_processor_use(const ProcessorUse& window, Sample& sample);

// Computes other_cpu_share for a sample whose window was too short for it. `lately` is what the
// processors did in a longer time that includes the window, and `own_s` is what lockbench used of
// it.
void add_recent_use(const ProcessorUse& lately, double own_s, Sample& sample);

// Writes what the quotas of control groups did between two readings.
void add_throttling(const std::optional<Throttling>& before, const std::optional<Throttling>& after,
                    Sample& sample);

// The limits beyond which the figures of a trial cannot be trusted.
struct DisturbanceLimits {
  double least_overlap = 0.95;
  double most_steal = 0.10;         // share of the processors' time
  double most_stretch = 0.25;       // of the window: how much longer it was than requested
  double most_interference = 0.05;  // of the window, or of the processors' time
};

// The interference of other users of the processors: the figure and its limit in one line; empty
// within the limits. `processors`: how many the trial may use. Pure.
//
// A quota of CPU time that stopped the threads is described by throttling_of().
//
// The host of a virtual machine is also another user: the time that it took is enough evidence. For
// other processes, interference needs two facts: threads waited for processors, and others used the
// processors during that time. A delay alone is no evidence, because the kernel may put two threads
// of the trial on one processor. With at most as many threads as processors, the longest run delay
// of a thread counts. With more threads, they necessarily wait for each other; then the processor
// time that they were denied counts.
std::string interference_of(const Cell& cell, const Sample& sample, std::uint32_t processors,
                            const DisturbanceLimits& limits = {});

// How quotas of CPU time stopped the trial's threads: the figure and its limit in one line; empty
// within the limit. The limit is a share of the window, on each processor that the threads could
// use. Neither waiting nor another attempt changes a quota. Pure.
std::string throttling_of(const Cell& cell, const Sample& sample, std::uint32_t processors,
                          const DisturbanceLimits& limits = {});

// Other reasons why the trial's figures cannot be trusted, in one line; empty if none is known.
// Overlap, stretch and the number of operations are checked if the trial ends by time. They are not
// checked for fixed work, where each thread ends when it is done. A window in which nothing was
// done, refused or left waiting has measured nothing: its 0/s says nothing of the lock. Pure.
std::string disturbance_of(const Cell& cell, const Sample& sample,
                           const DisturbanceLimits& limits = {});

}  // namespace lockbench
