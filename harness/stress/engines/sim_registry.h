// SPDX-License-Identifier: Apache-2.0

// The shipped locks that can be simulated: those that reach shared state through
// primitives/platform alone.
#pragma once

#include <vector>

#include "harness/stress/registered_lock.h"

namespace lockbench::stress::explore {

std::vector<RegisteredLock> stress_registry();

}  // namespace lockbench::stress::explore
