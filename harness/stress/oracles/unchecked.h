// SPDX-License-Identifier: Apache-2.0

// Promises of a lock that an engine checks, but did not come to check in a run: its clean verdict
// says nothing about them.
#pragma once

#include <string>

#include "harness/stress/litmus/lock_under_test.h"
#include "harness/stress/oracles/failure.h"
#include "harness/stress/oracles/oracle.h"

namespace lockbench::stress {

// The remark of a clean report; empty if each promise was checked.
std::string unchecked_remark(const EngineTraits& engine, const Abilities& abilities,
                             const Evaluations& evaluations);

}  // namespace lockbench::stress
