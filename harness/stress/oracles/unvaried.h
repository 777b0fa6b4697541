// SPDX-License-Identifier: Apache-2.0

// The parts of a lock's contract that the programs of an engine do not vary, so that its clean
// verdict says nothing about them. The table of docs/stress-engines.md has the bounds.
#pragma once

#include <string>

#include "harness/stress/litmus/lock_under_test.h"
#include "harness/stress/oracles/oracle.h"

namespace lockbench::stress {

// The remark of a clean report.
std::string unvaried_remark(const EngineTraits& engine, const Abilities& abilities);

}  // namespace lockbench::stress
