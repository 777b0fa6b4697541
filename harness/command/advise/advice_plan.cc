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

}  // namespace

std::vector<PrimitiveSpec> candidates_for(const AdviceCase& wanted) {
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
  Preset preset{.name = "advise", .title = "What advise measured", .blocks = 1};
  const Cell& cell = wanted.cell;
  preset.sweeps.push_back({.primitives = candidates_for(wanted),
                           .workloads = {cell.workload},
                           .threads = {cell.threads},
                           .keys = {cell.keys},
                           .key_types = {cell.key_type},
                           .key_distributions = {cell.key_distribution},
                           .holds = {cell.hold},
                           .thinks = {cell.think},
                           .timeouts = {cell.timeout},
                           .warmup = kWarmup,
                           .window = least_window(cell)});
  // The first pass only determines which of the primitives accept the case.
  Sweep& sweep = preset.sweeps.front();
  std::erase_if(sweep.primitives, [&](const PrimitiveSpec& primitive) {
    Cell asked = cell;
    asked.primitive = primitive;
    return absl::IsFailedPrecondition(check(asked).status());
  });
  const auto count = static_cast<std::int64_t>(sweep.primitives.size());
  if (count == 0) return expand(preset, check);  // it returns the error
  const Nanoseconds beside = kWarmup + kBeside;
  const Nanoseconds least = count * kLeastBlocks * (*sweep.window + beside);
  if (budget < least) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "--budget: %d primitives, %d times each, take %s; give so much, or a run that has them "
        "with --run",
        count, kLeastBlocks, rough_duration(std::chrono::duration<double>(least).count())));
  }
  const Nanoseconds longest = std::max(*sweep.window, kLongestWindow);
  sweep.window = std::clamp(budget / (count * kLeastBlocks) - beside, *sweep.window, longest);
  preset.blocks = static_cast<std::uint32_t>(
      std::clamp(budget / (count * (*sweep.window + beside)), kLeastBlocks, kMostBlocks));
  return expand(preset, check);
}

}  // namespace lockbench
