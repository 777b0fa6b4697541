// SPDX-License-Identifier: Apache-2.0

// Medians: a run's figures as plain text, for a machine without the Python modules for comparisons.
// Pure.
#pragma once

#include <span>
#include <string>

#include "harness/plan/cell.h"
#include "harness/record/measurement.h"

namespace lockbench {

// One line for each cell of the plan, in its order: the median of the valid trials' makespans, p99
// waits (open mode) or rates, or "not valid". Each measurement belongs to a trial of the plan.
std::string medians_text(const Plan& plan, std::span<const Measurement> measurements);

}  // namespace lockbench
