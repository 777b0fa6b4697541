// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/real/mode.h"

#include <algorithm>
#include <string>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

namespace lockbench::stress::real {
namespace {

// What finds most comes first, so that a short budget is spent well.
constexpr Mode kAll[] = {
    {"yields", Disturbance::kYields, true},
    {"duels", Disturbance::kDuels, false},
    {"signals", Disturbance::kSignals, true},
    {"plain", Disturbance::kNone, false},
    {"fairness", Disturbance::kFairness, false},
    {"low_priority", Disturbance::kLowPriority, true},
    {"long_holds", Disturbance::kLongHolds, true},
    {"one_core", Disturbance::kOneCore, true},
    {"crowd", Disturbance::kCrowd, true},
    {"thread_churn", Disturbance::kThreadChurn, true},
    {"migration", Disturbance::kMigration, true},
    {"signals_restart", Disturbance::kSignalsRestart, true},
};
static_assert(std::size(kAll) == kModes);

}  // namespace

std::span<const Mode> modes() {
  return kAll;
}

absl::StatusOr<Mode> mode_from(std::string_view name) {
  std::string known;
  for (const Mode& mode : kAll) {
    if (mode.name == name) return mode;
    absl::StrAppend(&known, known.empty() ? "" : ", ", std::string(mode.name));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("`", std::string(name), "` is no mode of the real engine; say one of ", known));
}

}  // namespace lockbench::stress::real
