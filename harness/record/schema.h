// SPDX-License-Identifier: Apache-2.0

// Schema: the columns of trials.csv and latency.csv, in order. One table for the writer, the reader
// and the page results/README.md.
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

struct Column {
  std::string_view name;
  std::string_view unit;        // s, ns, 1/s, bytes, count, ratio; number, name, text: none
  std::string_view meaning;     // Markdown
  std::string_view empty_when;  // Markdown; empty: never
  std::string (*cell)(const Row&);
};

// Of trials.csv: one row a trial.
std::span<const Column> trial_columns();

// The header of trials.csv, and one row of it.
std::vector<std::string> trial_header();
std::vector<std::string> trial_fields(const Row& row);

// The shortest text that reads back as the same value; empty if it is not finite.
std::string figure_text(double figure);

}  // namespace lockbench
