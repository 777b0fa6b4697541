// SPDX-License-Identifier: Apache-2.0

// `lockbench stress`: runs the engines on the locks, and prints their reports.
#pragma once

#include <string>
#include <vector>

#include "harness/stress/command/plan.h"

namespace lockbench {

// Returns 0 if no failure was found; 1 for bad input; 2 if a lock or a self-test failed; 3 if an
// engine failed; 4 if a result is inconclusive; 130 or 143 if interrupted. `plugins`: files whose
// locks are tested, too; if no lock is named, only these are tested.
int stress_command(const StressOptions& options, const std::vector<std::string>& plugins);

}  // namespace lockbench
