// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/record/row_check.h"

#include <absl/strings/str_format.h>

#include "harness/base/quantity.h"
#include "harness/bench/record/schema.h"

namespace lockbench {
namespace {

std::string differs(std::string_view column, std::string_view found, std::string_view right) {
  return absl::StrFormat("%s is \"%s\" where %s \"%s\"", column, found,
                         column == "run_id" ? "the run's is" : "the plan has", right);
}

}  // namespace

std::array<std::string, kPlannedColumns.size()> planned_cells(const Trial& trial) {
  std::array<std::string, kPlannedColumns.size()> cells;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i] = planned_cell(trial, kPlannedColumns[i]);
  }
  return cells;
}

std::string RowCheck::difference(const CellOfColumn& cell) const {
  const std::optional<std::string_view> run_id = cell("run_id");
  if (run_id && *run_id != run_.run_id) return differs("run_id", *run_id, run_.run_id);
  const std::string_view text = cell("trial").value_or("");
  const std::optional<std::uint32_t> trial = parse_number<std::uint32_t>(text);
  if (!trial || *trial >= plan_.trials.size()) {
    return absl::StrFormat("trial is \"%s\" where the plan has 0 to %d", text,
                           static_cast<std::int64_t>(plan_.trials.size()) - 1);
  }
  for (const std::string_view column : kPlannedColumns) {
    const std::optional<std::string_view> found = cell(column);
    if (!found) continue;
    const std::string right = planned_cell(plan_.trials[*trial], column);
    if (*found != right) return differs(column, *found, right);
  }
  return {};
}

}  // namespace lockbench
