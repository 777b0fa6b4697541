// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bit>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/strip.h>

#include "harness/base/progress.h"
#include "harness/command/advise/advice_case.h"
#include "harness/plan/load.h"
#include "harness/plan/spelling.h"
#include "harness/plan/window.h"

namespace lockbench {
namespace {

using std::chrono::milliseconds;

constexpr Nanoseconds kWarmup = milliseconds(20);
// The time to start and end a trial's process, and to repeat a trial now and then.
constexpr Nanoseconds kBeside = milliseconds(25);
// With more threads than processors, a shorter window measures the scheduler.
constexpr Nanoseconds kLeastWindow = milliseconds(50);
constexpr Nanoseconds kLongestWindow = milliseconds(500);
// Fewer blocks are enough for large ratios only.
constexpr std::int64_t kLeastBlocks = 7;
constexpr std::int64_t kMostBlocks = 25;

// Of the highest load that the threads reach.
constexpr double kLow = 0.1;
constexpr double kMedium = 0.5;
constexpr double kHigh = 0.9;

// The blocks of a prediction differ by the keys that are drawn.
constexpr std::uint32_t kPredictedBlocks = 5;

constexpr std::uint64_t kStripeBytes = 64;
// Stripes per thread: with few, two threads seldom share one; with many, they hardly ever do.
constexpr std::uint64_t kFewStripes = 4;
constexpr std::uint64_t kManyStripes = 64;
constexpr std::uint64_t kUsualBuckets = 1024;

PrimitiveSpec with(const std::string& name, const std::string& parameter, std::uint64_t number) {
  return {.name = name, .parameters = {{parameter, std::to_string(number)}}};
}

std::uint64_t stripes_for(const AdviceCase& wanted, std::uint64_t per_thread) {
  std::uint64_t stripes = std::bit_ceil(per_thread * wanted.cell.threads);
  while (wanted.memory_bytes && stripes > 1 &&
         (stripes + 1) * kStripeBytes > *wanted.memory_bytes) {
    stripes /= 2;
  }
  return stripes;
}

PrimitiveSpec keyed_for(const Cell& cell) {
  // About twice the number of keys held at once, so that a bucket has few keys.
  const std::uint64_t buckets = std::bit_ceil(std::uint64_t{2} * cell.threads);
  if (buckets <= kUsualBuckets) return {.name = "keyed", .parameters = {}};
  return with("keyed", "buckets", buckets);
}

using Loads = std::vector<std::optional<Load>>;

// An error about a load, as one about the flag that the user wrote.
absl::Status about_flag(absl::string_view flag, const absl::Status& status) {
  return absl::InvalidArgumentError(
      absl::StrCat(flag, ": ", absl::StripPrefix(status.message(), "load: ")));
}

// Of the first candidate that accepts the case.
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

absl::StatusOr<Loads> loads_of_rate(const AdviceCase& wanted, const CellTraits& traits) {
  const absl::StatusOr<Load> load = load_for_rate(wanted.cell, *rate_of(wanted), traits);
  if (!load.ok()) return about_flag(wanted.every ? "--every" : "--rate", load.status());
  return Loads{*load};
}

// Empty if nothing is known of loads.
Loads usual_loads(const AdviceCase& wanted, const CellTraits& traits) {
  const absl::StatusOr<double> highest = highest_load(wanted.cell, traits, false);
  if (!highest.ok()) return {};
  Loads loads;
  for (const double part : {kLow, kMedium, kHigh}) {
    loads.push_back(Load{.share = part * *highest, .sleeps = false});
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

// A sleep needs more time than a reading of the clock, and there are fewer waits to time.
bool sleeps_between(const Loads& loads, const Cell& cell) {
  return cell.think.sleeps() || std::any_of(loads.begin(), loads.end(),
                                            [](const auto& load) { return load && load->sleeps; });
}

// What the cells with the most threads need: one for all, so that the budget is known.
WindowNeeds needs_of(const AdviceCase& wanted, const Loads& loads, const CellTraits& traits) {
  WindowNeeds needs{.warmup = kWarmup, .window = kLeastWindow};
  const auto include = [&](const Cell& cell) {
    const WindowNeeds own = window_needs(cell, traits);
    needs.warmup = std::max(needs.warmup, own.warmup);
    needs.window = std::max(needs.window, own.window);
  };
  Cell cell = wanted.cell;
  include(cell);
  for (const std::optional<Load>& load : loads) {
    if (!load) continue;
    cell.load = load;
    const absl::StatusOr<Work> think = think_for_load(cell, traits);
    if (!think.ok()) continue;
    cell.think = *think;
    include(cell);
  }
  return needs;
}

// One block of the case: each candidate with each number of threads and each load.
Preset preset_for(const AdviceCase& wanted, const Loads& loads, const CellTraits& traits) {
  Preset preset{.name = "advise", .title = "What advise measured", .blocks = 1};
  const Cell& cell = wanted.cell;
  const WindowNeeds needs = needs_of(wanted, loads, traits);
  Sweep sweep{.primitives = candidates_for(wanted),
              .workloads = {cell.workload},
              .threads = threads_for(wanted),
              .keys = {cell.keys},
              .key_types = {cell.key_type},
              .key_distributions = {cell.key_distribution},
              .holds = {cell.hold},
              .loads = loads,
              .timeouts = {cell.timeout},
              .warmup = needs.warmup,
              .window = needs.window};
  if (loads.empty()) sweep.thinks = {cell.think};
  if (cell.write_share) sweep.write_shares = {cell.write_share};
  if (sleeps_between(loads, cell)) sweep.sample_every = 1;
  preset.sweeps.push_back(std::move(sweep));
  return preset;
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

std::int64_t cells_of(const Sweep& sweep) {
  const std::size_t loads = std::max<std::size_t>(1, sweep.loads.size());
  return static_cast<std::int64_t>(sweep.primitives.size() * sweep.threads.size() * loads);
}

Nanoseconds least_time(const Sweep& sweep) {
  return cells_of(sweep) * kLeastBlocks * (*sweep.window + *sweep.warmup + kBeside);
}

// A case with its loads, and what it depends on.
struct Resolved {
  AdviceCase wanted;
  CellTraits traits;
};

absl::StatusOr<Resolved> resolve(const AdviceCase& wanted, const CellCheck& check) {
  const absl::StatusOr<CellTraits> traits = traits_of(wanted, check);
  if (!traits.ok()) return traits.status();
  Resolved resolved{.wanted = wanted, .traits = *traits};
  AdviceCase& found = resolved.wanted;
  if (wanted.think) found.cell.think = *wanted.think;
  if (rate_of(wanted)) {
    absl::StatusOr<Loads> loads = loads_of_rate(wanted, *traits);
    if (!loads.ok()) return loads.status();
    found.loads = *std::move(loads);
  } else if (!says_how_often(wanted) && !wanted.when && wanted.services.empty()) {
    // From how many threads on one beats another, and a lock at a server, are asked of the limit.
    found.loads = usual_loads(wanted, *traits);
  }
  if (found.loads.size() != 1 || !found.loads.front()) return resolved;
  found.cell.load = found.loads.front();
  const absl::StatusOr<Work> think = think_for_load(found.cell, *traits);
  if (!think.ok()) return about_flag("--load", think.status());
  found.cell.think = *think;
  return resolved;
}

}  // namespace

std::optional<double> rate_of(const AdviceCase& wanted) {
  if (!wanted.every) return wanted.rate_per_s;
  return wanted.cell.threads / std::chrono::duration<double>(*wanted.every).count();
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

std::vector<PrimitiveSpec> candidates_for(const AdviceCase& wanted) {
  if (wanted.when && wanted.beats) return {*wanted.when, *wanted.beats};
  if (!wanted.services.empty()) return wanted.services;
  if (wanted.reentrant) {
    return {{.name = "recursive_mutex", .parameters = {}}, {.name = "reentrant", .parameters = {}}};
  }
  std::vector<PrimitiveSpec> found{{.name = "global", .parameters = {{"lock", "std"}}},
                                   {.name = "global", .parameters = {}}};
  if (wanted.cell.write_share) {
    found.push_back({.name = "global", .parameters = {{"lock", "std_shared"}}});
    found.push_back({.name = "keyed_shared", .parameters = {}});
  }
  if (wanted.fair) found.push_back({.name = "global", .parameters = {{"lock", "tbb_queuing"}}});
  found.push_back(keyed_for(wanted.cell));
  // With one key, there is only one stripe or shard in use.
  if (wanted.cell.keys == 1) return found;
  const std::uint64_t few = stripes_for(wanted, kFewStripes);
  const std::uint64_t many = stripes_for(wanted, kManyStripes);
  found.push_back({.name = "keyed_table64", .parameters = {}});
  found.push_back({.name = "keyed_absl", .parameters = {}});
  found.push_back(with("striped", "stripes", few));
  if (many != few) found.push_back(with("striped", "stripes", many));
  found.push_back(with("striped_vector", "stripes", many));
  return found;
}

absl::StatusOr<Plan> advice_plan(const AdviceCase& wanted, Nanoseconds budget,
                                 const CellCheck& check) {
  const absl::StatusOr<Resolved> resolved = resolve(wanted, check);
  if (!resolved.ok()) return resolved.status();
  const auto preset_with = [&](const Loads& loads) {
    Preset preset = preset_for(resolved->wanted, loads, resolved->traits);
    leave_fitting(wanted, check, preset.sweeps.front());
    return preset;
  };
  Preset preset = preset_with(resolved->wanted.loads);
  while (!says_how_often(wanted) && preset.sweeps.front().loads.size() > 1 &&
         budget < least_time(preset.sweeps.front())) {
    preset = preset_with(fewer(preset.sweeps.front().loads));
  }
  Sweep& sweep = preset.sweeps.front();
  const std::int64_t count = cells_of(sweep);
  if (count == 0) return expand(preset, check);  // it returns the error
  if (const Nanoseconds least = least_time(sweep); budget < least) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "--budget: %d cells, %d times each, take %s; give so much, or a run that has them "
        "with --run",
        count, kLeastBlocks, rough_duration(std::chrono::duration<double>(least).count())));
  }
  const Nanoseconds beside = *sweep.warmup + kBeside;
  const Nanoseconds longest = std::max(*sweep.window, kLongestWindow);
  sweep.window = std::clamp(budget / (count * kLeastBlocks) - beside, *sweep.window, longest);
  preset.blocks = static_cast<std::uint32_t>(
      std::clamp(budget / (count * (*sweep.window + beside)), kLeastBlocks, kMostBlocks));
  return expand(preset, check);
}

absl::StatusOr<Plan> quick_advice_plan(const AdviceCase& wanted, const CellCheck& check) {
  const absl::StatusOr<Resolved> resolved = resolve(wanted, check);
  if (!resolved.ok()) return resolved.status();
  const Loads& loads = resolved->wanted.loads;
  const bool usual = !says_how_often(wanted) && loads.size() > 1;
  Preset preset = preset_for(resolved->wanted, usual ? fewer(loads) : loads, resolved->traits);
  preset.title = "What advise predicted";
  preset.blocks = kPredictedBlocks;
  Sweep& sweep = preset.sweeps.front();
  if (!wanted.when && !wanted.reentrant && wanted.cell.keys != 1) {
    PrimitiveSpec striped = with("striped", "stripes", stripes_for(wanted, kManyStripes));
    striped.parameters.emplace("lock", "std");
    sweep.primitives.push_back(std::move(striped));
  }
  leave_fitting(wanted, check, sweep);
  return expand(preset, check);
}

}  // namespace lockbench
