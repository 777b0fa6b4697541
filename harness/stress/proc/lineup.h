// SPDX-License-Identifier: Apache-2.0

// The locks between processes that lockbench ships or measures beside its own, as suspects.
#pragma once

#include <vector>

#include "harness/stress/suspect.h"

namespace lockbench::stress::proc {

std::vector<Lineup> lineup();

}  // namespace lockbench::stress::proc
