// SPDX-License-Identifier: Apache-2.0

// StressSelfTest: whether the engines detect every broken lock, and no correct one.
#pragma once

#include "harness/command/stress/run.h"

namespace lockbench {

// Puts every broken lock and every control before its engine, in as many rounds as there is time
// for, one at least, each with seeds of its own; prints the matrix, interrupted or not. Returns as
// stress_command() does.
int test_engines(const StressWork& work);

}  // namespace lockbench
