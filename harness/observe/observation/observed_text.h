// SPDX-License-Identifier: Apache-2.0

// The answer of `lockbench observe` for a terminal: the verdict, then the places.
#pragma once

#include <string>

#include "harness/observe/observation/observation.h"
#include "harness/observe/observation/verdict.h"

namespace lockbench {

// With line ends.
std::string observed_text(const Observation& observation, const Verdict& verdict);

}  // namespace lockbench
