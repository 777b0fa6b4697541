// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/plan/precision.h"

#include <optional>

#include "harness/base/median.h"

namespace lockbench {

std::vector<Cell> imprecise_cells(std::span<const CellFigures> measured, double precision) {
  std::vector<Cell> cells;
  for (const CellFigures& cell : measured) {
    const std::optional<double> half_width = relative_half_width(cell.figures);
    if (!half_width || *half_width > precision) cells.push_back(cell.cell);
  }
  return cells;
}

}  // namespace lockbench
