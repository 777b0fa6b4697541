// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/conformance/pace.h"

#include <absl/strings/str_cat.h>

namespace lockbench::stress {

bool Pace::over(const Hearing& hearing, Clock::time_point until) {
  constexpr auto kTellEvery = std::chrono::milliseconds(200);
  const Clock::time_point now = Clock::now();
  if (now - told_at_ > kTellEvery) {
    told_at_ = now;
    tell_(absl::StrCat(hearing.executions(), " executions"));
  }
  return hearing.convicts() || now >= until;
}

}  // namespace lockbench::stress
