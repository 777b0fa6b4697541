// SPDX-License-Identifier: Apache-2.0

// The locks that lockbench ships or measures, as locks under test: every entry of the catalog
// except `none`, which excludes no thread, and except the forms as published, whose faults are
// known.
#pragma once

#include <vector>

#include "harness/stress/registered_lock.h"

namespace lockbench::stress::threads {

std::vector<RegisteredLock> stress_registry();

}  // namespace lockbench::stress::threads
