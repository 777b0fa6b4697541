// SPDX-License-Identifier: Apache-2.0

// predicted_plan: the plan of a measurement as a plan of predictions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/bench/plan/cell.h"

namespace lockbench {

struct PredictedPlan {
  Plan plan;
  std::size_t left_out = 0;           // cells that cannot be predicted
  std::vector<std::string> examples;  // some of the reasons, each once
};

// Each trial of `measured` for each machine: all trials of the first machine, then those of the
// next. `prepare(cell)` changes a cell that has its machine to what is predicted there, and returns
// why it cannot be predicted; empty: it can. Pure.
PredictedPlan predicted_plan(const Plan& measured, const std::vector<std::string>& machines,
                             const std::function<std::string(Cell&)>& prepare);

}  // namespace lockbench
