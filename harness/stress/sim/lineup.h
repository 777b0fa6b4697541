// SPDX-License-Identifier: Apache-2.0

// The shipped locks that can be simulated: those that reach shared state through
// primitives/platform alone.
#pragma once

#include <vector>

#include "harness/stress/suspect.h"

namespace lockbench::stress::sim {

std::vector<Lineup> lineup();

}  // namespace lockbench::stress::sim
