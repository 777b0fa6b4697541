// SPDX-License-Identifier: Apache-2.0

// StressMatrix: the results of a self-test for the broken locks and the controls, in one table.
// Pure.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "harness/stress/command/plan.h"
#include "harness/stress/report.h"

namespace lockbench {

struct KillEntry {
  TestJob job;
  stress::Report report;
  Kill kill;
};

// One line for each lock and engine, whatever the number of runs: how many of them had the expected
// result, which oracles reported the lock, after how much time (median), and in which modes or
// strategies.
std::string kill_matrix(const std::vector<KillEntry>& entries);

// "sim: 39 of 39 broken locks detected (median 0.6 ms, slowest spin_gives_up 60 ms); 9 of 9
// correct ones passed", a line for each engine. Times are medians over a lock's runs.
std::string kill_summary(const std::vector<KillEntry>& entries);

}  // namespace lockbench
