// SPDX-License-Identifier: Apache-2.0

// StressRun: the engines looking into locks, one after the other, within the budget.
#pragma once

#include <string>
#include <vector>

#include "harness/command/stress/plan.h"

namespace lockbench {

struct StressWork {
  const StressOptions& options;
  const std::vector<EngineListing>& engines;  // that know the locks
  const std::vector<EngineListing>& broken;   // with known broken locks; may be empty
  std::vector<TestJob> jobs;
  std::string machine;  // one line about machine and build
};

// Puts some broken locks before the engines, then lets them look into the locks, and prints what
// each says. Returns as stress_command() does.
int test_locks(const StressWork& work);

}  // namespace lockbench
