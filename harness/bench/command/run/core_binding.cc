// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/core_binding.h"

#include <set>
#include <utility>

#include <absl/status/statusor.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "harness/bench/measure/pinning.h"
#include "harness/kernel/processors.h"

namespace lockbench {
namespace {

constexpr char kDefaultPinning[] = "scatter";

// `4 fast and 8 slow`: the cores that this process may use.
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

// Empty if the kernel refuses to bind threads.
std::vector<Processor> bindable_processors() {
  return refused_affinity_call().empty() ? processors_here() : std::vector<Processor>();
}

}  // namespace

std::string bind_by_default(Plan& plan) {
  const std::vector<Processor> processors = bindable_processors();
  const std::vector<std::string> kinds = kinds_among(processors);
  if (kinds.empty()) return "";
  for (Trial& trial : plan.trials) {
    if (trial.cell.pinning == "none") trial.cell.pinning = kDefaultPinning;
  }
  return absl::StrCat("of the usable cores, ", text_of(kinds, processors),
                      ": threads are bound to cores in turn, ", kinds.front(), " ones first");
}

std::string bind_by_default(Preset& preset) {
  const std::vector<Processor> processors = bindable_processors();
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
  return absl::StrCat(cores, ": threads are bound to cores in turn, ", kinds.front(),
                      " ones first (--pinning kind:", kinds.back(),
                      " asks for others, and none leaves them to the kernel)");
}

void allow_for_slow_cores(Plan& plan) {
  // More than any processor's slowest kind of core takes beside its fastest.
  constexpr int kSlower = 4;
  if (kinds_among(processors_here()).empty()) return;
  for (Trial& trial : plan.trials) {
    if (trial.cell.pinning == "none") continue;
    trial.cell.time_limit *= kSlower;
    trial.cell.stall_limit *= kSlower;
  }
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
