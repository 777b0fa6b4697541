// SPDX-License-Identifier: Apache-2.0

// BudgetClock: how long a lock is held against its net, and who is told meanwhile.
#pragma once

#include <chrono>

#include "harness/stress/conformance/conformance_run.h"
#include "harness/stress/engine_program.h"

namespace lockbench::stress {

class BudgetClock {
 public:
  using Clock = std::chrono::steady_clock;

  BudgetClock(std::chrono::nanoseconds budget, const Tell& tell)
      : tell_(tell), end_(began_ + budget) {}

  Clock::time_point end() const { return end_; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

  // Whether the run failed, or it is `until`. Tells, a few times a second, how many
  // executions there were.
  bool over(const ConformanceRun& run, Clock::time_point until);

  // The same for the whole of the budget.
  bool over(const ConformanceRun& run) { return over(run, end_); }

 private:
  const Tell& tell_;
  const Clock::time_point began_ = Clock::now();
  const Clock::time_point end_;
  Clock::time_point told_at_ = began_;
};

}  // namespace lockbench::stress
