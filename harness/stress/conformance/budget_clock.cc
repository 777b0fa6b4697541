// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/conformance/budget_clock.h"

#include <absl/strings/str_cat.h>

namespace lockbench::stress {

bool BudgetClock::over(const ConformanceRun& run, Clock::time_point until) {
  constexpr auto kTellEvery = std::chrono::milliseconds(200);
  const Clock::time_point now = Clock::now();
  if (now - told_at_ > kTellEvery) {
    told_at_ = now;
    tell_(absl::StrCat(run.executions(), " executions"));
  }
  return run.failed() || now >= until;
}

}  // namespace lockbench::stress
