// SPDX-License-Identifier: Apache-2.0

// OpenComparisons: which comparisons of a run are undecided, and which cells the next block should
// measure to decide them.
//
// scripts/commands/follow.py, which `run` calls after each block, determines whether a comparison
// is decided; its verdicts are valid at every look. The functions here determine which comparisons
// get another block. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/bench/plan/cell.h"

namespace lockbench {

struct OpenComparison {
  std::array<std::uint32_t, 2> trials{};  // the first trial of each of its two cells
  std::uint64_t blocks = 0;               // blocks that it has
  std::optional<double> needed;           // blocks that probably decide it, these included
};

struct OpenComparisons {
  std::size_t comparisons = 0;
  std::size_t decided = 0;
  std::vector<OpenComparison> open;
};

// Parses one answer of scripts/commands/follow.py. Internal, with the script's message, if it
// reports an error.
absl::StatusOr<OpenComparisons> open_comparisons_from_json(std::string_view line);

// The duration of one more trial of this cell, in seconds.
using CellSeconds = double (*)(const Cell& cell);

// The cells of the next block: those of the open comparisons that `left_s` seconds probably decide,
// the cheapest ones first; if there are none, those of the cheapest one. Empty if nothing is open,
// or if not even one block fits. O(n²) in the number of open comparisons.
std::vector<Cell> cells_of_next_block(const Plan& plan, const OpenComparisons& comparisons,
                                      double left_s, CellSeconds seconds);

// How long all blocks take that probably decide the open comparisons. Infinite if that is not known
// of one of them.
double seconds_to_decide(const Plan& plan, const OpenComparisons& comparisons, CellSeconds seconds);

}  // namespace lockbench
