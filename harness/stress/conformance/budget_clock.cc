// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/conformance/budget_clock.h"

#include <absl/strings/str_cat.h>

namespace lockbench::stress {

bool BudgetClock::over(const ConformanceRun& run, Clock::time_point until) {
  constexpr auto kProgressPeriod = std::chrono::milliseconds(200);
  const Clock::time_point now = Clock::now();
  if (now - reported_at_ > kProgressPeriod) {
    reported_at_ = now;
    report_(absl::StrCat(run.executions(), " executions"));
  }
  return run.failed() || now >= until;
}

}  // namespace lockbench::stress
