// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/core_binding.h"

#include <algorithm>
#include <set>

#include <absl/algorithm/container.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "harness/bench/catalog/catalog.h"
#include "harness/bench/measure/pinning.h"
#include "harness/bench/plan/core_pinning.h"
#include "harness/kernel/processors.h"

namespace lockbench {
namespace {

constexpr char kDefaultPinning[] = "scatter";

constexpr char kBound[] = ": threads are bound to cores in turn, faster ones first";

constexpr char kUnbound[] =
    "; with --pinning none the kernel chooses the kind anew in each trial, and rows do not say "
    "which";

// More than the work of any processor's slowest kind of core takes beside that of its fastest.
constexpr double kSlowestWork = 4;

// `of the usable cores, 4 fast and 8 slow`; empty if they are of one kind, or if the kernel refuses
// to bind threads to them.
std::string usable_cores() {
  if (!refused_affinity_call().empty()) return "";
  const std::vector<Processor> processors = processors_here();
  std::vector<std::string> parts;
  for (const std::string& kind : kinds_among(processors)) {
    std::set<int> cores;
    for (const Processor& one : processors) {
      if (one.kind == kind) cores.insert(one.core);
    }
    parts.push_back(absl::StrCat(cores.size(), " ", kind));
  }
  if (parts.empty()) return "";
  return absl::StrCat("of the usable cores, ", absl::StrJoin(parts, " and "));
}

bool leaves_unbound(const Preset& preset) {
  return std::any_of(preset.sweeps.begin(), preset.sweeps.end(), [](const Sweep& sweep) {
    return absl::c_linear_search(sweep.pinnings, "none");
  });
}

}  // namespace

bool bind_where_unsaid(Preset& preset) {
  bool bound = false;
  for (Sweep& sweep : preset.sweeps) {
    if (!sweep.pinnings.empty()) continue;
    sweep.pinnings = {kDefaultPinning};
    bound = true;
  }
  return bound;
}

bool bind_where_unsaid(Plan& plan) {
  bool bound = false;
  for (Trial& trial : plan.trials) {
    if (trial.cell.pinning != "none") continue;
    trial.cell.pinning = kDefaultPinning;
    bound = true;
  }
  return bound;
}

std::string bind_by_default(Plan& plan) {
  const std::string cores = usable_cores();
  if (cores.empty()) return "";
  if (bind_where_unsaid(plan)) return cores + kBound;
  return cores + "; threads are bound to those that were asked for";
}

std::string bind_by_default(Preset& preset) {
  const std::string cores = usable_cores();
  if (cores.empty()) return "";
  const bool some_bound = bind_where_unsaid(preset);
  const std::string where = some_bound
                                ? absl::StrCat(kBound, " (where --pinning says nothing else)")
                                : "; where threads run is as the plan says";
  return absl::StrCat(cores, where, leaves_unbound(preset) ? kUnbound : "");
}

absl::StatusOr<CellTraits> traits_here(const Cell& cell) {
  absl::StatusOr<CellTraits> traits = Catalog::standard().check(cell);
  if (!traits.ok() || cell.pinning == "none") return traits;
  const std::vector<Processor> processors = processors_here();
  if (kinds_among(processors).empty()) return traits;
  if (kind_named(cell.pinning) != "fast") traits->slowest_work = kSlowestWork;
  limit_to_kinds(cell, processors, *traits);
  return traits;
}

void limit_to_kinds(const Cell& cell, const std::vector<Processor>& processors,
                    CellTraits& traits) {
  if (!kind_named(cell.pinning) && !parse_mixed(cell.pinning)) return;
  // So many threads that they use all processors that the pinning has for them.
  const auto many = static_cast<std::uint32_t>(processors.size()) + cell.threads;
  const auto placed = place_threads(cell.pinning, many, processors);
  if (!placed.ok()) return;
  traits.processors =
      static_cast<std::uint32_t>(std::set<int>(placed->begin(), placed->end()).size());
}

absl::StatusOr<std::vector<std::string>> kinds_here() {
  const std::string refused = refused_affinity_call();
  if (!refused.empty()) return absl::UnavailableError("threads cannot be bound: " + refused);
  return kinds_among(processors_here());
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
