// SPDX-License-Identifier: Apache-2.0

#include "harness/plan/precision.h"

#include <utility>

#include "harness/plan/median.h"

namespace lockbench {

std::optional<double> relative_half_width(std::vector<double> values) {
  if (values.size() < least_values_for(kUsualConfidence)) return std::nullopt;
  const MedianInterval interval = *median_interval(values);
  return (interval.high - interval.low) / 2 / median(std::move(values));
}

std::vector<Cell> imprecise_cells(std::span<const CellFigures> measured, double precision) {
  std::vector<Cell> cells;
  for (const CellFigures& cell : measured) {
    const std::optional<double> half_width = relative_half_width(cell.figures);
    if (!half_width || *half_width > precision) cells.push_back(cell.cell);
  }
  return cells;
}

}  // namespace lockbench
