// SPDX-License-Identifier: Apache-2.0

// Promises of a lock that were not checked in a run: its clean verdict says nothing about them.
#pragma once

#include <string>

#include "harness/stress/litmus/lock_under_test.h"
#include "harness/stress/oracles/failure.h"

namespace lockbench::stress {

// The remark of a clean report; empty if each promise was checked.
std::string unchecked_remark(const Abilities& abilities, const Evaluations& evaluations);

}  // namespace lockbench::stress
