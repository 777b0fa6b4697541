// SPDX-License-Identifier: Apache-2.0

#include "harness/plan/preset.h"

#include <algorithm>
#include <utility>

namespace lockbench {
namespace {

template <class T>
void replace(std::vector<T>& base, const std::vector<T>& over) {
  if (!over.empty()) base = over;
}

template <class T>
void replace(std::optional<T>& base, const std::optional<T>& over) {
  if (over) base = over;
}

Mode mode_of(const Sweep& sweep) {
  return sweep.mode.value_or(Mode::kTimed);
}

bool any_in(const Preset& preset, Mode mode) {
  return std::any_of(preset.sweeps.begin(), preset.sweeps.end(),
                     [mode](const Sweep& sweep) { return mode_of(sweep) == mode; });
}

constexpr char kFileCounter[] = "file_counter";

std::vector<PrimitiveSpec> usual_primitives(const std::string& workload) {
  if (workload == "nested") return {{"reentrant", {}}, {"recursive_mutex", {}}};
  if (workload == "checkout") {
    return {{"lease", {}}, {"lease_condvar", {}}, {"lease_tbb", {}}, {"lease_semaphore", {}}};
  }
  if (workload == kFileCounter) {
    return {{"file", {}}, {"file_flock", {}}, {"file_ofd", {}}, {"file_robust_mutex", {}}};
  }
  return {{"global", {}}, {"keyed", {}}, {"striped", {}}};
}

Sweep usual_sweep(const Sweep& given) {
  const std::string workload = given.workloads.empty() ? "counter" : given.workloads[0].name;
  const auto some_are = [&given](KeyDistribution::Kind kind) {
    return std::any_of(given.key_distributions.begin(), given.key_distributions.end(),
                       [kind](const auto& d) { return d.kind == kind; });
  };
  Sweep usual;
  usual.primitives = usual_primitives(workload);
  usual.workloads = {{workload, {}}};
  usual.threads = {1, 2, 4, 8};
  usual.holds = {{.kind = Work::Kind::kSpin, .duration = Nanoseconds{200}}};
  if (workload == "accounts") usual.key_types = {KeyType::kString};
  // The counts say how many keys and operations there are; the threads, how many keys of their own.
  if (some_are(KeyDistribution::Kind::kAssigned)) return usual;
  const bool own = some_are(KeyDistribution::Kind::kOwn);
  const bool one_by_itself =
      workload == "nested" || workload == "checkout" || workload == kFileCounter;
  if (!own && !one_by_itself) usual.keys = {64};
  if (mode_of(given) == Mode::kFixed) usual.operations = 1000;
  return usual;
}

}  // namespace

Sweep laid_over(Sweep base, const Sweep& over) {
  replace(base.primitives, over.primitives);
  replace(base.workloads, over.workloads);
  replace(base.threads, over.threads);
  replace(base.keys, over.keys);
  replace(base.key_types, over.key_types);
  replace(base.key_distributions, over.key_distributions);
  replace(base.holds, over.holds);
  replace(base.thinks, over.thinks);
  replace(base.pinnings, over.pinnings);
  replace(base.timeouts, over.timeouts);
  replace(base.rates, over.rates);
  replace(base.mode, over.mode);
  replace(base.operations, over.operations);
  replace(base.warmup, over.warmup);
  replace(base.window, over.window);
  replace(base.arrivals, over.arrivals);
  replace(base.watch_conflicts, over.watch_conflicts);
  replace(base.sample_every, over.sample_every);
  replace(base.time_limit, over.time_limit);
  if (!over.where.empty()) base.where = over.where;
  base.skip_unsupported = base.skip_unsupported || over.skip_unsupported;
  return base;
}

absl::StatusOr<Preset> apply(Preset preset, const Overrides& overrides) {
  Sweep over = overrides.sweep;
  if (!over.primitives.empty() || !over.workloads.empty()) over.skip_unsupported = true;
  for (Sweep& sweep : preset.sweeps) sweep = laid_over(std::move(sweep), over);
  if (overrides.blocks) preset.blocks = *overrides.blocks;
  if (overrides.seed) preset.seed = *overrides.seed;

  if (over.operations && !any_in(preset, Mode::kFixed)) {
    return absl::InvalidArgumentError(
        "operations: time decides how many in modes timed and open; give mode fixed with it");
  }
  if ((!over.rates.empty() || over.arrivals) && !any_in(preset, Mode::kOpen)) {
    return absl::InvalidArgumentError(std::string(over.arrivals ? "arrivals" : "rate") +
                                      ": operations are due at a rate in mode open; give mode "
                                      "open with it");
  }
  if ((over.window || over.warmup) && !any_in(preset, Mode::kTimed) &&
      !any_in(preset, Mode::kOpen)) {
    return absl::InvalidArgumentError(std::string(over.window ? "window" : "warmup") +
                                      ": a trial in mode fixed ends after its operations; give "
                                      "operations instead, or mode timed");
  }
  return preset;
}

Preset preset_from(const Overrides& overrides) {
  Preset preset{.name = "command line",
                .title = "What the command line gave",
                .description = {},
                .target = {},
                .sweeps = {laid_over(usual_sweep(overrides.sweep), overrides.sweep)}};
  if (overrides.blocks) preset.blocks = *overrides.blocks;
  if (overrides.seed) preset.seed = *overrides.seed;
  return preset;
}

}  // namespace lockbench
