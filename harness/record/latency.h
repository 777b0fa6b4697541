// SPDX-License-Identifier: Apache-2.0

// Latency: the distributions of the times in trials.csv, as rows of latency.csv: one row for each
// bucket of a histogram that is not empty.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/row.h"

namespace lockbench {

// The columns of latency.csv. No cell is ever empty.
std::span<const Field> latency_columns();

// The header of latency.csv.
std::vector<std::string> latency_header();

// All rows of one trial as text, waits before holds, each ascending; empty if nothing was timed.
std::string latency_records(const Row& row);

}  // namespace lockbench
