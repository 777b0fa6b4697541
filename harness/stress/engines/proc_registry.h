// SPDX-License-Identifier: Apache-2.0

// The locks between processes that lockbench ships or measures, as locks under test.
#pragma once

#include <vector>

#include "harness/stress/registered_lock.h"

namespace lockbench::stress::processes {

std::vector<RegisteredLock> stress_registry();

}  // namespace lockbench::stress::processes
