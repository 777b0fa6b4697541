// SPDX-License-Identifier: Apache-2.0

// RowCheck: whether a row of trials.csv belongs to the run and to the plan of its folder.
//
// Tables of several runs that somebody put into one file have rows of other runs, and rows whose
// trial is another one than the plan's. To read them as one run pairs what was never compared.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "harness/plan/cell.h"
#include "harness/record/row.h"

namespace lockbench {

// Gives the cell of a column; absent if the table has no such column.
using CellOfColumn = std::function<std::optional<std::string_view>(std::string_view column)>;

// Columns that tell plans apart; the others vary with them.
inline constexpr std::array<std::string_view, 8> kPlannedColumns{
    "block", "seed", "primitive", "params", "workload", "scenario", "threads", "keys"};

// What a row of the trial has in each of them.
std::array<std::string, kPlannedColumns.size()> planned_cells(const Trial& trial);

class RowCheck {
 public:
  // Both must outlive it.
  RowCheck(const RunIdentity& run, const Plan& plan) : run_(run), plan_(plan) {}

  // What is wrong with the row, as `threads is "4" where the plan has "8"`; empty if nothing is.
  // What the table has no column for is not checked.
  std::string difference(const CellOfColumn& cell) const;

 private:
  const RunIdentity& run_;
  const Plan& plan_;
};

}  // namespace lockbench
