// SPDX-License-Identifier: Apache-2.0

// Disturbance: whether something other than the lock disturbed a trial.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/measure/processor_use.h"
#include "harness/measure/sample.h"
#include "harness/plan/cell.h"

namespace lockbench {

// Writes `steal_share` and `other_cpu_share` of what the trial's processors did in the window into
// `sample`, whose CPU times are known. Absent where less than 20 ticks have passed: shares of so
// little mean nothing.
void add_processor_use(const ProcessorUse& window, Sample& sample);

// The same of other_cpu_share for a sample whose window was too short for it, from what the
// processors did `lately`, the window included, and what lockbench used of it.
void add_recent_use(const ProcessorUse& lately, double own_s, Sample& sample);

// From where on a trial is not to be believed.
struct DisturbanceLimits {
  double least_overlap = 0.95;
  double most_steal = 0.10;         // share of the processors' time
  double most_stretch = 0.25;       // of the window, beyond what was asked for
  double most_interference = 0.05;  // of the window, or of the processors' time
};

// What others that used the processors did to the trial: the figure and its limit, in one line;
// empty within the limits. `processors`: that the trial may use. Pure.
//
// Both must hold: threads waited for processors, and others used these meanwhile. A delay alone is
// no evidence, since the kernel may put two threads of the trial on one processor. Up to as many
// threads as processors, the longest run delay of one counts; beyond that, threads wait for each
// other by necessity, and what they were denied counts.
std::string interference_of(const Cell& cell, const Sample& sample, std::uint32_t processors,
                            const DisturbanceLimits& limits = {});

// What else is wrong with the trial's figures, in one line; empty when nothing is known against
// them. Overlap and stretch count where time decides, not where work is fixed: there threads end
// when they are done. Pure.
std::string disturbance_of(const Cell& cell, const Sample& sample,
                           const DisturbanceLimits& limits = {});

}  // namespace lockbench
