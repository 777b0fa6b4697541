// SPDX-License-Identifier: Apache-2.0

// Schema: the columns of trials.csv and latency.csv, in order.
//
// What a trial measures is listed once, beside its type, in sample.h; what the plan says of it, or
// what follows from both, is listed here. Everything else is made from these two lists: headers,
// rows, the sample's JSON, results/README.md, schema.json and `lockbench schema`.
//
// Guarantees   cells are pure functions of the row; numbers look the same in every locale, and a
//              fraction is the shortest text that reads back as the same value; a figure that was
//              not measured is an empty cell, never a zero; no cell contains a line end or is much
//              longer than 4 KiB, whatever a trial's process said.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/row.h"

namespace lockbench {

struct Column : Field {
  std::string (*cell)(const Row&) = nullptr;  // null: the field of the sample of that name
};

// Of trials.csv: one row a trial.
std::span<const Column> trial_columns();

// The header of trials.csv, and one row of it.
std::vector<std::string> trial_header();
std::vector<std::string> trial_fields(const Row& row);

// What a row of this trial has in a column that depends on the plan alone, as `block` or `threads`.
std::string planned_cell(const Trial& trial, std::string_view column);

// The schema of a run's tables, as schema.json in its folder has it.
std::string schema_json();

// The same as tables of results/README.md.
std::string trials_markdown();
std::string latency_markdown();

// The shortest text that reads back as the same value; empty if it is not finite.
std::string figure_text(double figure);

}  // namespace lockbench
