// SPDX-License-Identifier: Apache-2.0

// The processors of a model, for whoever places threads on them. Pure.
#pragma once

#include <vector>

#include "harness/bench/measure/placement.h"
#include "harness/predict/machine/machine_model.h"

namespace lockbench::machine {

// As a process sees them that may use all; the threads of a core one after the other.
std::vector<Processor> processors_of(const MachineModel& model);

}  // namespace lockbench::machine
