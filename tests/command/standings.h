// SPDX-License-Identifier: Apache-2.0

// Rows of a small run, for tests of what is said of it: one group of cells, a figure a block.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/plan/cell.h"
#include "harness/plan/spelling.h"
#include "harness/record/measurement.h"

namespace lockbench {

struct SmallRun {
  Plan plan;
  std::vector<Measurement> measurements;

  // One trial a figure, in blocks from 0 on; a figure of 0 is of a trial that is not valid.
  void add(const std::string& primitive, const std::vector<double>& operations_per_s,
           Cell cell = {.workload = {"counter", ""}, .threads = 8, .keys = 64}) {
    cell.primitive = *parse_primitive(primitive);
    std::uint32_t block = 0;
    for (const double figure : operations_per_s) {
      const auto number = static_cast<std::uint32_t>(plan.trials.size());
      plan.trials.push_back({.number = number, .block = block++, .cell = cell});
      measurements.push_back({.trial = number, .valid = figure > 0, .window_s = 0.1});
      if (figure > 0) measurements.back().operations_per_s = figure;
    }
  }
};

}  // namespace lockbench
