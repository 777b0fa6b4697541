// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/mode.h"

#include <algorithm>
#include <string>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

namespace lockbench::stress::threads {
namespace {

// The modes that find the most faults come first, so that a short budget is used well.
constexpr Mode kAll[] = {
    {"access_delays", FaultKind::kAccessDelays, true},
    {"yields", FaultKind::kYields, true},
    {"collisions", FaultKind::kCollisions, false},
    {"signals", FaultKind::kSignals, true},
    {"plain", FaultKind::kNone, false},
    {"fairness", FaultKind::kFairness, false},
    {"low_priority", FaultKind::kLowPriority, true},
    {"long_holds", FaultKind::kLongHolds, true},
    {"one_core", FaultKind::kOneCore, true},
    {"oversubscription", FaultKind::kOversubscription, true},
    {"thread_churn", FaultKind::kThreadChurn, true},
    {"migration", FaultKind::kMigration, true},
    {"signals_restart", FaultKind::kSignalsRestart, true},
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

}  // namespace lockbench::stress::threads
