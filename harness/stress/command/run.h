// SPDX-License-Identifier: Apache-2.0

// StressRun: lets the engines test locks, one after the other, within the budget.
#pragma once

#include <string>
#include <vector>

#include "harness/stress/command/plan.h"

namespace lockbench {

struct StressWork {
  const StressOptions& options;
  const std::vector<EngineListing>& engines;  // with the locks under test
  const std::vector<EngineListing>& broken;   // with known broken locks; may be empty
  std::vector<TestJob> jobs;
  std::string machine;  // one line about machine and build
};

// Lets the engines test some known broken locks first, then the locks under test, and prints the
// reports. Returns the exit code of stress_command().
int test_locks(const StressWork& work);

}  // namespace lockbench
