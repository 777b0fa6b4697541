// SPDX-License-Identifier: Apache-2.0

// BudgetClock: the time limit of a conformance run, and its progress messages.
#pragma once

#include <chrono>

#include "harness/stress/conformance/conformance_run.h"
#include "harness/stress/engine_program.h"

namespace lockbench::stress {

class BudgetClock {
 public:
  using Clock = std::chrono::steady_clock;

  BudgetClock(std::chrono::nanoseconds budget, const ReportProgress& report_progress)
      : report_(report_progress), end_(began_ + budget) {}

  Clock::time_point end() const { return end_; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

  // Whether the run has failed or the time is past `until`. Reports the number of executions a few
  // times a second.
  bool over(const ConformanceRun& run, Clock::time_point until);

  // The same with the end of the whole budget as the limit.
  bool over(const ConformanceRun& run) { return over(run, end_); }

 private:
  const ReportProgress& report_;
  const Clock::time_point began_ = Clock::now();
  const Clock::time_point end_;
  Clock::time_point reported_at_ = began_;
};

}  // namespace lockbench::stress
