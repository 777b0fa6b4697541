// SPDX-License-Identifier: Apache-2.0

// observed.toml: a preset that reproduces the load of one place.
#pragma once

#include <string>

#include "harness/observe/observation/observation.h"

namespace lockbench {

// `processors`: of this machine. Threads that together use less of them than they would if they
// computed between two acquisitions sleep there instead. Pure.
std::string observed_preset(const ObservedPlace& place, const ObservedProcess& process,
                            double processor_s, double processors);

}  // namespace lockbench
