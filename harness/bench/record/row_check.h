// SPDX-License-Identifier: Apache-2.0

// RowCheck: whether a row of trials.csv belongs to the run and to the plan of its folder.
//
// A user may have put the tables of several runs into one file. It then has rows of other runs, and
// rows whose trial differs from the trial of the plan. Reading them as one run would pair rows that
// do not belong together.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "harness/bench/plan/cell.h"
#include "harness/bench/record/row.h"

namespace lockbench {

// Returns the cell of a column; absent if the table has no column of this name.
using CellOfColumn = std::function<std::optional<std::string_view>(std::string_view column)>;

// Columns that distinguish plans; the other columns depend on them.
inline constexpr std::array<std::string_view, 8> kPlannedColumns{
    "block", "seed", "primitive", "params", "workload", "scenario", "threads", "keys"};

// The contents of these columns in a row of the trial.
std::array<std::string, kPlannedColumns.size()> planned_cells(const Trial& trial);

class RowCheck {
 public:
  // Both must outlive this object.
  RowCheck(const RunIdentity& run, const Plan& plan) : run_(run), plan_(plan) {}

  // The error in the row, as `threads is "4" where the plan has "8"`; empty if there is none.
  // Columns that the table does not have are not checked.
  std::string difference(const CellOfColumn& cell) const;

 private:
  const RunIdentity& run_;
  const Plan& plan_;
};

}  // namespace lockbench
