// SPDX-License-Identifier: Apache-2.0

// Candidates beside those of candidates_for() (advice_case.h). Pure.
#pragma once

#include <vector>

#include "harness/bench/command/advise/advice_case.h"

namespace lockbench {

// Mutexes and locks that readers share, for the map of readers and writers: few, since each is
// measured in each of its cells.
std::vector<PrimitiveSpec> map_candidates_for(const AdviceCase& wanted);

// Stripes over the C++ library's mutex, for models of machines, which have no locks of other
// libraries.
PrimitiveSpec striped_std_for(const AdviceCase& wanted);

}  // namespace lockbench
