// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/core_binding.h"

#include <set>
#include <utility>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "harness/bench/measure/pinning.h"

namespace lockbench {
namespace {

constexpr char kDefaultPinning[] = "scatter";

// `4 on fast cores and 8 on slow ones`: the hardware threads that this process may use.
std::string text_of(const std::vector<std::string>& kinds,
                    const std::vector<Processor>& processors) {
  std::vector<std::string> parts;
  for (const std::string& kind : kinds) {
    std::set<int> cores;
    for (const Processor& one : processors) {
      if (one.kind == kind) cores.insert(one.core);
    }
    parts.push_back(absl::StrCat(cores.size(), " ", kind));
  }
  return absl::StrJoin(parts, " and ");
}

}  // namespace

std::string bind_by_default(Plan& plan) {
  const std::vector<Processor> processors = processors_here();
  const std::vector<std::string> kinds = kinds_among(processors);
  if (kinds.empty()) return "";
  for (Trial& trial : plan.trials) {
    if (trial.cell.pinning == "none") trial.cell.pinning = kDefaultPinning;
  }
  return absl::StrCat("of the usable cores, ", text_of(kinds, processors),
                      ": threads are bound, one a core and ", kinds.front(), " cores first");
}

std::string bind_by_default(Preset& preset) {
  const std::vector<Processor> processors = processors_here();
  const std::vector<std::string> kinds = kinds_among(processors);
  if (kinds.empty()) return "";
  bool bound = false;
  for (Sweep& sweep : preset.sweeps) {
    if (!sweep.pinnings.empty()) continue;
    sweep.pinnings = {kDefaultPinning};
    bound = true;
  }
  const std::string cores = absl::StrCat("of the usable cores, ", text_of(kinds, processors));
  if (!bound) return absl::StrCat(cores, "; where threads run is as the plan says");
  return absl::StrCat(cores, ": threads are bound, one a core and ", kinds.front(),
                      " cores first (--pinning kind:", kinds.back(),
                      " asks for others, and none leaves them to the kernel)");
}

absl::Status check_pinnings(const std::vector<Trial>& trials) {
  std::set<std::string> seen;
  for (const Trial& trial : trials) {
    if (!seen.insert(trial.cell.pinning).second) continue;
    const absl::Status placed = processors_for(trial.cell.pinning, 1).status();
    // Without an answer of the kernel, each trial says so.
    if (absl::IsInvalidArgument(placed)) return placed;
  }
  return absl::OkStatus();
}

std::string threads_by_kind_of(const Cell& cell) {
  if (cell.pinning == "none") return "";
  const absl::StatusOr<std::vector<int>> placed = processors_for(cell.pinning, cell.threads);
  return placed.ok() ? threads_by_kind(*placed, processors_here()) : "";
}

}  // namespace lockbench
