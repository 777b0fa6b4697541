// SPDX-License-Identifier: Apache-2.0

// Failures and events of the shared state as text, for people.
#pragma once

#include <string>
#include <vector>

#include "harness/stress/oracles/failure.h"
#include "harness/stress/registered_lock.h"
#include "harness/stress/threads/shared_state.h"

namespace lockbench::stress::threads {

// The failure on the state as a failure. Requires that there is one.
Failure failure_in(const SharedState& state, const Abilities& abilities);

// The last events of each thread in the epoch under way, one a line, in the order of their times.
std::vector<std::string> trace_text_of(const SharedState& state);

}  // namespace lockbench::stress::threads
