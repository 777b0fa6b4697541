// SPDX-License-Identifier: Apache-2.0

// Failures and events of the shared state as text, for people.
#pragma once

#include <string>
#include <vector>

#include "harness/stress/oracles/failure.h"
#include "harness/stress/processes/shared_state.h"

namespace lockbench::stress::processes {

// Requires a fault. Pure.
Failure failure_from(const FailureRecord& failure);

// The last events of each process in the epoch under way, one a line, in the order of their times.
std::vector<std::string> trace_text_of(const SharedState& state);

}  // namespace lockbench::stress::processes
