// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/processes/mode.h"

#include <string>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

namespace lockbench::stress::processes {
namespace {

// The modes that find the most faults come first, so that a short budget is used well.
constexpr Mode kAll[] = {
    {"kill_in_call", FaultKind::kKillInCall},
    {"kill", FaultKind::kKill},
    {"stop_in_call", FaultKind::kStopInCall},
    {"stop", FaultKind::kStop},
    {"plain", FaultKind::kNone},
    {"recycle", FaultKind::kRecycle},
    {"forks", FaultKind::kForks},
    {"churn", FaultKind::kChurn},
};
static_assert(std::size(kAll) == kModes);

}  // namespace

std::span<const Mode> modes() {
  return kAll;
}

absl::StatusOr<std::size_t> mode_from(std::string_view name) {
  std::string known;
  for (std::size_t i = 0; i < kModes; ++i) {
    if (kAll[i].name == name) return i;
    absl::StrAppend(&known, known.empty() ? "" : ", ", std::string(kAll[i].name));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("`", std::string(name), "` is no mode of the proc engine; say one of ", known));
}

}  // namespace lockbench::stress::processes
