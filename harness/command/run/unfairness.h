// SPDX-License-Identifier: Apache-2.0

// Unfairness: throughput that was bought at the price of starved threads: when to say so, and how.
//
// A lock that lets one thread run on while others starve keeps its data in one core's cache and
// wins on throughput. Its rate is true; who takes it should know the price. The bars are those of
// scripts/analysis/unfairness.py, which says why they are where they are. Pure.
#pragma once

#include <optional>
#include <string>

#include "harness/plan/cell.h"

namespace lockbench {

// Medians over the valid trials of a cell.
struct FairnessFigures {
  std::optional<double> jain;
  std::optional<double> wait_max_ns;
  std::optional<double> held_p50_ns;
  std::optional<double> window_s;
};

// `Jain 0.42, one wait took 310 ms`; empty where nothing is to be said. Asked only where threads
// compete for a window: fixed work is dealt out beforehand, and in an open loop waits tell of the
// rate.
std::string unfairness_of(const Cell& cell, const FairnessFigures& figures);

}  // namespace lockbench
