// SPDX-License-Identifier: Apache-2.0

// `lockbench stress`: sends the engines after the locks, and says what they found.
#pragma once

#include <string>
#include <vector>

#include "harness/command/stress/plan.h"

namespace lockbench {

// Returns 0 when all is clean; 1 for what the user got wrong; 2 when a lock failed, or a
// self-test failed; 3 when an engine failed; 4 when something stayed inconclusive; 5 when nothing
// worse than unfairness was found; 130 or 143 when interrupted.
// `plugins`: files whose locks are looked into as well; alone, when no lock is named.
int stress_command(const StressOptions& options, const std::vector<std::string>& plugins);

}  // namespace lockbench
