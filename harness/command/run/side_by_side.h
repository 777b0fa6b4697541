// SPDX-License-Identifier: Apache-2.0

// Side by side: a seed's published figures and a run's measured ones, as one table. Pure.
//
// Guarantees   a measured figure is the median of the valid rows; where none is valid, the outcome
//              stands in its place. Counts of what went wrong are told of rows that are not valid,
//              too: that is what they are for.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/command/run/section.h"
#include "harness/plan/published.h"
#include "harness/record/csv.h"

namespace lockbench {

// A run's rows, each cell by its column's name.
class MeasuredRows {
 public:
  // Of trials.csv, its header the first record.
  explicit MeasuredRows(const CsvText& trials);

  bool has_column(const std::string& name) const;

  // The cell of one column in each row that `where` selects, in order. `where` says of columns what
  // stands there; `primitive` stands for the name with its parameters.
  std::vector<std::string> cells(const std::map<std::string, std::string>& where,
                                 const std::string& column) const;

 private:
  std::vector<std::map<std::string, std::string>> rows_;
};

// A row for each of `published`; absent when the run measured none of it.
std::optional<Section> side_by_side(const Published& published, const MeasuredRows& measured);

}  // namespace lockbench
