// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/plan/preset.h"

#include <algorithm>
#include <utility>

namespace lockbench {
namespace {

// The sweep that a command line asks for.
Sweep asked_now(Sweep over) {
  over.exact_warmup = over.warmup.has_value();
  over.exact_window = over.window.has_value();
  return over;
}

Mode mode_of(const Sweep& sweep) {
  return sweep.mode.value_or(Mode::kTimed);
}

bool any_in(const Preset& preset, Mode mode) {
  return std::any_of(preset.sweeps.begin(), preset.sweeps.end(),
                     [mode](const Sweep& sweep) { return mode_of(sweep) == mode; });
}

Sweep usual_sweep(const Sweep& given, const SweepDefaults& defaults) {
  const auto some_are = [&given](KeyDistribution::Kind kind) {
    return std::any_of(given.key_distributions.begin(), given.key_distributions.end(),
                       [kind](const auto& d) { return d.kind == kind; });
  };
  Sweep usual;
  usual.primitives = defaults.primitives;
  usual.threads = {1, 2, 4, 8};
  usual.holds = {{.kind = Work::Kind::kSpin, .duration = Nanoseconds{200}}};
  usual.key_types = {defaults.key_type};
  usual.write_shares = {defaults.write_share};
  // Assigned counts determine the number of keys and operations; with keys of the threads' own, the
  // number of threads determines the number of keys.
  if (some_are(KeyDistribution::Kind::kAssigned)) return usual;
  if (!some_are(KeyDistribution::Kind::kOwn)) usual.keys = {defaults.keys};
  if (mode_of(given) == Mode::kFixed) usual.operations = 1000;
  return usual;
}

}  // namespace

Sweep laid_over(Sweep base, const Sweep& over) {
  for_each_axis([&](auto axis, auto) {
    if (!(over.*axis).empty()) base.*axis = over.*axis;
  });
  // Each of these two determines the other.
  if (!over.loads.empty() && over.thinks.empty()) base.thinks.clear();
  if (!over.thinks.empty() && over.loads.empty()) base.loads.clear();
  for_each_setting([&](auto setting) {
    if (over.*setting) base.*setting = over.*setting;
  });
  if (!over.where.empty()) base.where = over.where;
  base.skip_unsupported = base.skip_unsupported || over.skip_unsupported;
  base.every_load = base.every_load || over.every_load;
  base.exact_warmup = base.exact_warmup || over.exact_warmup;
  base.exact_window = base.exact_window || over.exact_window;
  return base;
}

absl::StatusOr<Preset> apply(Preset preset, const Overrides& overrides) {
  Sweep over = asked_now(overrides.sweep);
  if (!over.primitives.empty() || !over.workloads.empty()) over.skip_unsupported = true;
  if (!over.loads.empty()) over.every_load = true;
  for (Sweep& sweep : preset.sweeps) {
    sweep = laid_over(std::move(sweep), over);
    if (sweep.mode.value_or(Mode::kTimed) != Mode::kTimed) sweep.loads.clear();
  }
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
  if (!over.loads.empty() && !any_in(preset, Mode::kTimed)) {
    return absl::InvalidArgumentError(
        "load: determines the think time in mode timed; give mode timed with it, or a rate in mode "
        "open");
  }
  if ((over.window || over.warmup) && !any_in(preset, Mode::kTimed) &&
      !any_in(preset, Mode::kOpen)) {
    return absl::InvalidArgumentError(std::string(over.window ? "window" : "warmup") +
                                      ": a trial in mode fixed ends after its operations; give "
                                      "operations instead, or mode timed");
  }
  return preset;
}

Preset preset_from(const Overrides& overrides,
                   const std::function<SweepDefaults(const WorkloadSpec&)>& defaults_for) {
  std::vector<WorkloadSpec> workloads = overrides.sweep.workloads;
  if (workloads.empty()) workloads = {{kDefaultWorkload, {}}};
  const bool some_read = std::any_of(
      workloads.begin(), workloads.end(),
      [&](const WorkloadSpec& workload) { return defaults_for(workload).write_share.has_value(); });
  Preset preset{.name = "command line", .title = {}, .description = {}, .target = {}, .sweeps = {}};
  for (const WorkloadSpec& workload : workloads) {
    const SweepDefaults defaults = defaults_for(workload);
    Sweep sweep = laid_over(usual_sweep(overrides.sweep, defaults), asked_now(overrides.sweep));
    sweep.workloads = {workload};
    sweep.every_load = !sweep.loads.empty();
    if (some_read && !defaults.write_share) sweep.write_shares.clear();
    preset.sweeps.push_back(std::move(sweep));
  }
  if (overrides.blocks) preset.blocks = *overrides.blocks;
  if (overrides.seed) preset.seed = *overrides.seed;
  return preset;
}

}  // namespace lockbench
