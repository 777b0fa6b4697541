// SPDX-License-Identifier: Apache-2.0

// The locks that lockbench ships or measures beside its own, as locks: every line of the
// catalog but `none`, which excludes nobody, and the forms as published, whose faults are known.
#pragma once

#include <vector>

#include "harness/stress/registered_lock.h"

namespace lockbench::stress::threads {

std::vector<RegisteredLock> stress_registry();

}  // namespace lockbench::stress::threads
