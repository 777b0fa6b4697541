// SPDX-License-Identifier: Apache-2.0

// Precision: which cells need more blocks before their intervals are narrow enough. Pure.
#pragma once

#include <span>
#include <vector>

#include "harness/bench/plan/cell.h"

namespace lockbench {

// The figures of one cell, one for each valid trial: operations per second, or makespans.
struct CellFigures {
  Cell cell;
  std::vector<double> figures;
};

// The cells whose interval (harness/base/median.h) is wider than `precision` (0.02: 2 %) or not
// known yet.
std::vector<Cell> imprecise_cells(std::span<const CellFigures> measured, double precision);

}  // namespace lockbench
