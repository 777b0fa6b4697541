// SPDX-License-Identifier: Apache-2.0

// The pace of a trial's spins: the part of SpinPace::measure() that the trial needs.
//
// This header is separate from work.h, which hundreds of compiled loops include.
#pragma once

#include "workloads/work.h"

namespace lockbench {

// Measures what these works need. Without a spin, that is one reading of the clock; random
// durations need everything. The other figures keep their defaults.
SpinPace measure_pace_for(const Work& hold, const Work& think);

}  // namespace lockbench
