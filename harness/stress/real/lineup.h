// SPDX-License-Identifier: Apache-2.0

// The locks that lockbench ships or measures beside its own, as suspects: every line of the
// catalog but `none`, which excludes nobody, and the forms as published, whose faults are known.
#pragma once

#include <vector>

#include "harness/stress/suspect.h"

namespace lockbench::stress::real {

std::vector<Lineup> lineup();

}  // namespace lockbench::stress::real
