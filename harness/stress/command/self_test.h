// SPDX-License-Identifier: Apache-2.0

// StressSelfTest: checks that the engines report every broken lock and no correct one.
#pragma once

#include "harness/stress/command/run.h"

namespace lockbench {

// Tests every broken lock and every control with its engine. It runs as many rounds as the budget
// allows, at least one, each with its own seeds, and prints the matrix, even if it is interrupted.
// Returns the exit code of stress_command().
int test_engines(const StressWork& work);

}  // namespace lockbench
