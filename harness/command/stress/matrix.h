// SPDX-License-Identifier: Apache-2.0

// StressMatrix: what became of the broken locks and the controls of a self-test, in one table.
// Pure.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "harness/command/stress/plan.h"
#include "harness/stress/report.h"

namespace lockbench {

struct KillEntry {
  TestJob job;
  stress::Report report;
  Kill kill;
};

// A line for each lock and engine, whatever the number of its runs: how many of them went as they
// should, by which oracles, after how long (median), and which modes or strategies did it.
std::string kill_matrix(const std::vector<KillEntry>& entries);

// "sim: 39 of 39 broken locks detected (median 0.6 ms, slowest spin_gives_up 60 ms); 9 of 9
// correct ones passed", a line for each engine. Times are medians over a lock's runs.
std::string kill_summary(const std::vector<KillEntry>& entries);

}  // namespace lockbench
