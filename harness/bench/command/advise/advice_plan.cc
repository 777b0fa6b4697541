// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/strip.h>

#include "harness/base/progress.h"
#include "harness/bench/command/advise/advice_case.h"
#include "harness/bench/command/advise/advice_sweeps.h"
#include "harness/bench/command/advise/candidates.h"
#include "harness/bench/plan/load.h"
#include "harness/bench/plan/spelling.h"

namespace lockbench {
namespace {

using std::chrono::milliseconds;

// The time to start and end a trial's process, and to repeat a trial now and then.
constexpr Nanoseconds kBeside = milliseconds(25);
constexpr Nanoseconds kLongestWindow = milliseconds(500);
// Fewer blocks are enough for large ratios only.
constexpr std::int64_t kLeastBlocks = 7;
constexpr std::int64_t kMostBlocks = 25;

// Shares of the highest load that the threads reach.
constexpr double kLow = 0.1;
constexpr double kMedium = 0.5;
constexpr double kHigh = 0.9;

// An error about a load, as one about the flag that the user wrote.
absl::Status about_flag(absl::string_view flag, const absl::Status& status) {
  return absl::InvalidArgumentError(
      absl::StrCat(flag, ": ", absl::StripPrefix(status.message(), "load: ")));
}

// The traits of the first candidate that accepts the case.
absl::StatusOr<CellTraits> traits_of(const AdviceCase& wanted, const CellCheck& check) {
  absl::StatusOr<CellTraits> traits = absl::InternalError("no candidate");
  for (const PrimitiveSpec& primitive : candidates_for(wanted)) {
    Cell cell = wanted.cell;
    cell.primitive = primitive;
    traits = check(cell);
    if (traits.ok()) break;
  }
  return traits;
}

// An error about a rate. If operations may give up, it says how many must: those that come beyond
// what the busiest key can do.
absl::Status about_rate(const AdviceCase& wanted, const CellTraits& traits,
                        const absl::Status& status) {
  absl::Status said = about_flag(wanted.every ? "--every" : "--rate", status);
  const absl::StatusOr<RateLimits> limits = rate_limits(wanted.cell, traits);
  if (wanted.cell.timeout == Nanoseconds{0} || !limits.ok()) return said;
  const double per_s = *rate_of(wanted);
  if (per_s > std::min(limits->threads_per_s, limits->processors_per_s)) return said;
  const double beyond = limits->busiest_key_share * (1 - limits->key_per_s / per_s);
  return absl::InvalidArgumentError(absl::StrFormat(
      "%s; beyond it, at least %.2g%% of the operations reach --timeout, whatever the lock",
      said.message(), 100 * beyond));
}

// Empty if nothing is known of loads.
Loads usual_loads(const AdviceCase& wanted, const CellTraits& traits) {
  const bool sleeps = wanted.cell.hold.sleeps();
  const absl::StatusOr<double> highest = highest_load(wanted.cell, traits, sleeps);
  if (!highest.ok()) return {};
  Loads loads;
  for (const double part : {kLow, kMedium, kHigh}) {
    loads.push_back(Load{.share = part * *highest, .sleeps = sleeps});
  }
  loads.push_back(std::nullopt);
  return loads;
}

bool says_how_often(const AdviceCase& wanted) {
  return wanted.think || !wanted.loads.empty() || wanted.rate_per_s || wanted.every;
}

// Leaves out what is least missed. All are ordered from low to saturated.
Loads fewer(Loads loads) {
  // High, then low, then saturated.
  const std::size_t out = loads.size() == 4 ? 2 : loads.size() == 3 ? 0 : loads.size() - 1;
  loads.erase(loads.begin() + static_cast<std::ptrdiff_t>(out));
  return loads;
}

// Leaves the primitives that accept the case. What the question names must accept it.
void leave_fitting(const AdviceCase& wanted, const CellCheck& check, Sweep& sweep) {
  if (wanted.when) return;
  std::erase_if(sweep.primitives, [&](const PrimitiveSpec& primitive) {
    Cell asked = wanted.cell;
    asked.primitive = primitive;
    return absl::IsFailedPrecondition(check(asked).status());
  });
}

Nanoseconds block_time(const Sweep& sweep) {
  return cells_of(sweep) * (*sweep.window + *sweep.warmup + kBeside);
}

Nanoseconds least_time(const std::vector<Sweep>& sweeps) {
  Nanoseconds block{0};
  for (const Sweep& sweep : sweeps) block += block_time(sweep);
  return kLeastBlocks * block;
}

// A case with its loads, and what it depends on.
struct Resolved {
  AdviceCase wanted;
  CellTraits traits;
  bool usual_loads = false;          // the user named none
  std::optional<RateLimits> limits;  // of a case with a limit of waits
};

// A case with a limit of waits is measured at rates: its own, and that of its load.
absl::StatusOr<Resolved> resolve_rates(Resolved resolved) {
  AdviceCase& found = resolved.wanted;
  const absl::StatusOr<RateLimits> limits = rate_limits(found.cell, resolved.traits);
  if (!limits.ok()) return about_flag("--wait-limit", limits.status());
  resolved.limits = *limits;
  if (!found.loads.empty()) {
    if (found.loads.size() > 1 || !found.loads.front()) {
      return absl::InvalidArgumentError(
          "--load: --wait-limit is about a rate; name one load below saturation, as --load 50%");
    }
    const double per_s = found.loads.front()->share * limits->mutex_per_s;
    found.rate_per_s = static_cast<std::uint64_t>(std::max(1.0, std::round(per_s)));
    found.loads.clear();
  }
  if (const std::optional<double> rate = rate_of(found)) {
    const absl::StatusOr<Pace> pace = pace_for_rate(found.cell, *rate, resolved.traits);
    if (!pace.ok()) return about_rate(found, resolved.traits, pace.status());
  }
  return resolved;
}

absl::StatusOr<Resolved> resolve(const AdviceCase& wanted, const CellCheck& check) {
  const absl::StatusOr<CellTraits> traits = traits_of(wanted, check);
  if (!traits.ok()) return traits.status();
  Resolved resolved{.wanted = wanted, .traits = *traits};
  AdviceCase& found = resolved.wanted;
  if (wanted.wait_limit) return resolve_rates(std::move(resolved));
  if (wanted.think) found.cell.think = *wanted.think;
  // Threads that sleep while they hold a lock wait for something else; so they do between.
  if (found.cell.hold.sleeps()) {
    for (std::optional<Load>& load : found.loads) {
      if (load) load->sleeps = true;
    }
  }
  if (rate_of(wanted)) {
    const absl::StatusOr<Pace> pace = pace_for_rate(wanted.cell, *rate_of(wanted), *traits);
    if (!pace.ok()) return about_rate(wanted, *traits, pace.status());
    found.cell.think = pace->think;
    if (pace->load) found.loads = {pace->load};
  } else if (!says_how_often(wanted) && !wanted.when && wanted.services.empty()) {
    // From how many threads on one beats another, and a lock at a server, are asked of the limit.
    found.loads = usual_loads(wanted, *traits);
    resolved.usual_loads = true;
  }
  if (found.loads.size() != 1 || !found.loads.front()) return resolved;
  found.cell.load = found.loads.front();
  const absl::StatusOr<Work> think = think_for_load(found.cell, *traits);
  if (!think.ok()) return about_flag("--load", think.status());
  found.cell.think = *think;
  return resolved;
}

Preset empty_preset(const std::string& title) {
  return {.name = "advise", .title = title, .blocks = 1};
}

// The sweeps that answer the case within the budget: if nothing says how often the threads lock, at
// as many loads as there is time for; then the map of readers and writers, if there is time for it.
std::vector<Sweep> sweeps_for(const Resolved& resolved, Nanoseconds budget,
                              const CellCheck& check) {
  const AdviceCase& wanted = resolved.wanted;
  std::vector<Sweep> sweeps;
  if (wanted.wait_limit) {
    sweeps = rate_sweeps(wanted, *resolved.limits);
    for (Sweep& sweep : sweeps) leave_fitting(wanted, check, sweep);
    return sweeps;
  }
  const std::vector<Sweep> map =
      draws_map(wanted) ? map_sweeps(wanted, resolved.traits) : std::vector<Sweep>{};
  const auto with = [&](const Loads& loads) {
    std::vector<Sweep> found{case_sweep(wanted, loads, resolved.traits)};
    leave_fitting(wanted, check, found.front());
    found.insert(found.end(), map.begin(), map.end());
    return found;
  };
  sweeps = with(wanted.loads);
  while (resolved.usual_loads && sweeps.front().loads.size() > 1 && budget < least_time(sweeps)) {
    sweeps = with(fewer(sweeps.front().loads));
  }
  if (budget < least_time(sweeps)) sweeps.resize(1);
  return sweeps;
}

// The first sweep, which is the case itself, gets the time that the budget has left.
void lengthen_windows(std::vector<Sweep>& sweeps, Nanoseconds budget) {
  Sweep& own = sweeps.front();
  if (own.mode == Mode::kOpen || cells_of(own) == 0) return;
  const Nanoseconds spare = budget - least_time(sweeps);
  const Nanoseconds longest = std::max(*own.window, kLongestWindow);
  own.window = std::min(*own.window + spare / (cells_of(own) * kLeastBlocks), longest);
}

}  // namespace

std::optional<double> rate_of(const AdviceCase& wanted) {
  if (!wanted.every) return wanted.rate_per_s;
  return wanted.cell.threads / std::chrono::duration<double>(*wanted.every).count();
}

bool draws_map(const AdviceCase& wanted) {
  // Few of its locks can give up a wait.
  return wanted.kind == QuestionKind::kReaders && !wanted.when && !wanted.wait_limit &&
         wanted.cell.timeout == Nanoseconds{0};
}

bool leaves_out_map(const AdviceCase& wanted, const Plan& plan) {
  return draws_map(wanted) &&
         std::all_of(plan.trials.begin(), plan.trials.end(), [&](const Trial& trial) {
           return trial.cell.write_share == wanted.cell.write_share;
         });
}

absl::StatusOr<AdviceCase> with_loads(const AdviceCase& wanted, const CellCheck& check) {
  absl::StatusOr<Resolved> resolved = resolve(wanted, check);
  if (!resolved.ok()) return resolved.status();
  return std::move(resolved->wanted);
}

std::vector<std::uint32_t> threads_for(const AdviceCase& wanted) {
  std::vector<std::uint32_t> threads;
  if (wanted.when) {
    for (std::uint32_t few = 1; few < wanted.cell.threads; few *= 2) threads.push_back(few);
  }
  threads.push_back(wanted.cell.threads);
  return threads;
}

absl::StatusOr<Plan> advice_plan(const AdviceCase& wanted, Nanoseconds budget,
                                 const CellCheck& check, BudgetKind kind) {
  const absl::StatusOr<Resolved> resolved = resolve(wanted, check);
  if (!resolved.ok()) return resolved.status();
  Preset preset = empty_preset("What advise measured");
  preset.sweeps = sweeps_for(*resolved, budget, check);
  std::int64_t count = 0;
  for (const Sweep& sweep : preset.sweeps) count += cells_of(sweep);
  if (count == 0) return expand(preset, check);  // it returns the error
  const Nanoseconds least = least_time(preset.sweeps);
  if (kind == BudgetKind::kUsual) budget = std::max(budget, least);
  if (budget < least) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "--budget: %d cells, %d times each, take %s; give so much, or a run that has them "
        "with --run",
        count, kLeastBlocks, rough_duration(std::chrono::duration<double>(least).count())));
  }
  lengthen_windows(preset.sweeps, budget);
  const Nanoseconds block = least_time(preset.sweeps) / kLeastBlocks;
  preset.blocks = static_cast<std::uint32_t>(std::clamp(budget / block, kLeastBlocks, kMostBlocks));
  return expand(preset, check);
}

absl::StatusOr<Plan> quick_advice_plan(const AdviceCase& wanted, const CellCheck& check,
                                       const std::string& title, std::uint32_t blocks) {
  const absl::StatusOr<Resolved> resolved = resolve(wanted, check);
  if (!resolved.ok()) return resolved.status();
  const Loads& loads = resolved->wanted.loads;
  const bool usual = !says_how_often(wanted) && loads.size() > 1;
  Preset preset = empty_preset(title);
  preset.blocks = blocks;
  preset.sweeps = {case_sweep(resolved->wanted, usual ? fewer(loads) : loads, resolved->traits)};
  Sweep& sweep = preset.sweeps.front();
  if (!wanted.when && wanted.kind == QuestionKind::kMutex && wanted.cell.keys != 1) {
    sweep.primitives.push_back(striped_std_for(wanted));
  }
  leave_fitting(wanted, check, sweep);
  if (draws_map(wanted)) {
    const std::vector<Sweep> map = map_sweeps(resolved->wanted, resolved->traits);
    preset.sweeps.insert(preset.sweeps.end(), map.begin(), map.end());
  }
  return expand(preset, check);
}

}  // namespace lockbench
