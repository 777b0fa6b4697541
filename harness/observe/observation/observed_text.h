// SPDX-License-Identifier: Apache-2.0

// The answer of `lockbench observe` for a terminal: the verdict, then the places.
#pragma once

#include <cstddef>
#include <string>

#include "harness/observe/observation/observation.h"
#include "harness/observe/observation/verdict.h"

namespace lockbench {

// With line ends. `width`: of the table, as far as names of places can be shortened to reach it.
std::string observed_text(const Observation& observation, const Verdict& verdict,
                          std::size_t width);

}  // namespace lockbench
