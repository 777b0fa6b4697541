// SPDX-License-Identifier: Apache-2.0

// Investigation: epochs in turn, until one convicts or the time is over.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "harness/stress/real/board.h"
#include "harness/stress/real/epoch_plan.h"
#include "harness/stress/suspect.h"

namespace lockbench::stress::real {

struct Series {
  Wish wish;
  std::vector<std::size_t> modes;  // indexes into modes(), in turn
  std::uint64_t seed = 1;          // of the first epoch; the others' are derived from it
  std::chrono::steady_clock::time_point until;
  std::uint64_t most_epochs = std::numeric_limits<std::uint64_t>::max();
};

// In a child process. True when nothing was found; else the charge is on the board. Calls `look`
// about ten times a second.
bool investigate(Board& board, const Lineup& lineup, const Series& series,
                 const std::function<void()>& look);

}  // namespace lockbench::stress::real
