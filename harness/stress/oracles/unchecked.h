// SPDX-License-Identifier: Apache-2.0

// Promises of a lock that were not checked in a run: its clean verdict says nothing about them. And
// oracles that checked nothing, without which there is no clean verdict.
#pragma once

#include <string>
#include <vector>

#include "harness/stress/litmus/lock_under_test.h"
#include "harness/stress/oracles/failure.h"

namespace lockbench::stress {

// The remark of a clean report; empty if each promise was checked.
std::string unchecked_remark(const Abilities& abilities, const Evaluations& evaluations);

// Why a verdict is inconclusive though nothing failed; empty if each of the needed oracles checked
// something.
std::string unevaluated_remark(const std::vector<Oracle>& needed, const Evaluations& evaluations);

}  // namespace lockbench::stress
