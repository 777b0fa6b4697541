// SPDX-License-Identifier: Apache-2.0

// Precision: which cells need more blocks before their medians are narrow enough.
//
// Pure functions: figures in, decisions out.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "harness/plan/cell.h"

namespace lockbench {

// The figures of one cell, one for each valid trial: operations per second, or makespans.
struct CellFigures {
  Cell cell;
  std::vector<double> figures;
};

// Half the width of the interval that contains the median with at least 95 % confidence (median.h),
// relative to the median. Absent below 6 values, for which no interval exists.
std::optional<double> relative_half_width(std::vector<double> values);

// The cells whose interval is wider than `precision` (0.02: 2 %) or not known yet.
std::vector<Cell> imprecise_cells(std::span<const CellFigures> measured, double precision);

}  // namespace lockbench
