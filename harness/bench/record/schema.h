// SPDX-License-Identifier: Apache-2.0

// Schema: the columns of trials.csv and latency.csv, in order.
//
// Each field that a trial measures is listed once, beside its type, in sample.h. The columns that
// come from the plan, or from the plan and the sample together, are listed here. Everything else is
// generated from these two lists: headers, rows, the sample's JSON, results/README.md, schema.json
// and `lockbench schema`.
//
// Guarantees   Cells are pure functions of the row. Numbers look the same in every locale, and a
//              fraction is the shortest text that reads back as the same value. A figure that was
//              not measured is an empty cell, never a zero. No cell contains a line end or is much
//              longer than 4 KiB, whatever the process of a trial printed.
//
// Latency: the distributions of the times in trials.csv, as rows of latency.csv: one row for each
// bucket of a histogram that is not empty.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/bench/record/row.h"

namespace lockbench {

struct Column : FieldDescription {
  std::string (*cell)(const Row&) = nullptr;  // null: the sample's field with that name
};

// The columns of trials.csv, which has one row per trial.
std::span<const Column> trial_columns();

// A text as a cell of trials.csv has it: without line ends, and not longer than a cell may be.
std::string as_cell(std::string_view text);

// The header of trials.csv, and one row of it.
std::vector<std::string> trial_header();
std::vector<std::string> trial_fields(const Row& row);

// The cell of this trial in a column that depends on the plan alone, as `block` or `threads`.
std::string planned_cell(const Trial& trial, std::string_view column);

// The schema of a run's tables: the contents of schema.json in its folder.
std::string schema_json();

// The same as tables for results/README.md.
std::string trials_markdown();
std::string latency_markdown();

// The shortest text that reads back as the same value; empty if it is not finite.
std::string figure_text(double figure);

// The header of latency.csv, whose cells are never empty.
std::vector<std::string> latency_header();

// All rows of one trial as text, waits before holds, each ascending; empty if nothing was timed.
std::string latency_records(const Row& row);

}  // namespace lockbench
