// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bit>

#include <absl/strings/str_format.h>

#include "harness/command/advise/advice_case.h"
#include "harness/command/run/progress.h"
#include "harness/plan/spelling.h"

namespace lockbench {
namespace {

using std::chrono::milliseconds;

constexpr Nanoseconds kWarmup = milliseconds(20);
// The time to start and end a trial's process, and to repeat a trial now and then.
constexpr Nanoseconds kBeside = milliseconds(25);
// With more threads than processors, a shorter window measures the scheduler.
constexpr Nanoseconds kLeastWindow = milliseconds(50);
constexpr Nanoseconds kLongestWindow = milliseconds(500);
constexpr std::int64_t kHoldsInWindow = 20;
// Fewer blocks are enough for large ratios only.
constexpr std::int64_t kLeastBlocks = 7;
constexpr std::int64_t kMostBlocks = 25;

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

Nanoseconds least_window(const Cell& cell) {
  return std::max(kLeastWindow, kHoldsInWindow * (cell.hold.duration + cell.think.duration));
}

// One block of the case: each candidate with each number of threads.
Preset preset_for(const AdviceCase& wanted) {
  Preset preset{.name = "advise", .title = "What advise measured", .blocks = 1};
  const Cell& cell = wanted.cell;
  preset.sweeps.push_back({.primitives = candidates_for(wanted),
                           .workloads = {cell.workload},
                           .threads = threads_for(wanted),
                           .keys = {cell.keys},
                           .key_types = {cell.key_type},
                           .key_distributions = {cell.key_distribution},
                           .holds = {cell.hold},
                           .thinks = {cell.think},
                           .timeouts = {cell.timeout},
                           .warmup = kWarmup,
                           .window = least_window(cell)});
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

}  // namespace

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
  Preset preset = preset_for(wanted);
  Sweep& sweep = preset.sweeps.front();
  leave_fitting(wanted, check, sweep);
  const auto count = static_cast<std::int64_t>(sweep.primitives.size() * sweep.threads.size());
  if (count == 0) return expand(preset, check);  // it returns the error
  const Nanoseconds beside = kWarmup + kBeside;
  const Nanoseconds least = count * kLeastBlocks * (*sweep.window + beside);
  if (budget < least) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "--budget: %d cells, %d times each, take %s; give so much, or a run that has them "
        "with --run",
        count, kLeastBlocks, rough_duration(std::chrono::duration<double>(least).count())));
  }
  const Nanoseconds longest = std::max(*sweep.window, kLongestWindow);
  sweep.window = std::clamp(budget / (count * kLeastBlocks) - beside, *sweep.window, longest);
  preset.blocks = static_cast<std::uint32_t>(
      std::clamp(budget / (count * (*sweep.window + beside)), kLeastBlocks, kMostBlocks));
  return expand(preset, check);
}

absl::StatusOr<Plan> predicted_advice_plan(const AdviceCase& wanted, const CellCheck& check) {
  Preset preset = preset_for(wanted);
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
