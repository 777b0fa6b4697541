// SPDX-License-Identifier: Apache-2.0

#include "harness/plan/load.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <absl/strings/str_format.h>

#include "harness/plan/quantity.h"
#include "harness/plan/spelling.h"

namespace lockbench {
namespace {

double zipf_sum(std::uint64_t keys, double theta) {
  double sum = 0;
  for (std::uint64_t rank = keys; rank != 0; --rank) {
    sum += std::pow(static_cast<double>(rank), -theta);
  }
  return sum;
}

absl::Status unknown_load(std::string_view reason) {
  return absl::InvalidArgumentError(absl::StrFormat("load: %s", reason));
}

absl::Status check_load(const Cell& cell, const CellTraits& traits) {
  if (cell.mode != Mode::kTimed) {
    return unknown_load("belongs to mode timed; in mode open, write a rate");
  }
  if (!cell.hold.computes() && !cell.hold.sleeps()) {
    return unknown_load(
        "wants a hold with a duration, as 200ns: a key that is held for no known "
        "time has no known load");
  }
  if (traits.acquisitions_per_operation != 1 || traits.keys_per_operation != 1) {
    return unknown_load(
        "wants a workload that holds one key once in an operation, as counter; for " +
        to_text(cell.workload) + " write think");
  }
  return absl::OkStatus();
}

}  // namespace

double busiest_key_share(const Cell& cell) {
  const KeyDistribution& how = cell.key_distribution;
  const auto keys = static_cast<double>(cell.keys);
  switch (how.kind) {
    case KeyDistribution::Kind::kZipf:
      return 1 / zipf_sum(cell.keys, how.theta);
    case KeyDistribution::Kind::kHot:
      return std::max(1 / keys, how.hot_share / std::max(1.0, std::round(keys * how.hot_fraction)));
    case KeyDistribution::Kind::kAssigned: {
      const auto sum = std::accumulate(how.counts.begin(), how.counts.end(), std::uint64_t{0});
      return static_cast<double>(*std::max_element(how.counts.begin(), how.counts.end())) /
             static_cast<double>(std::max<std::uint64_t>(1, sum));
    }
    case KeyDistribution::Kind::kOwn:
      return std::ceil(static_cast<double>(cell.threads) / keys) / cell.threads;
    case KeyDistribution::Kind::kUniform:
      break;
  }
  return 1 / keys;
}

absl::StatusOr<Work> think_for_load(const Cell& cell, const CellTraits& traits) {
  const absl::Status known = check_load(cell, traits);
  if (!known.ok()) return known;
  const Load& load = *cell.load;
  // Only sleeping threads leave their processors to others, in the hold as between operations.
  const bool shares = !load.sleeps && !cell.hold.sleeps();
  const double working = shares ? std::min(cell.threads, traits.processors) : cell.threads;
  // Without exclusion, the load is that of a lock in its place.
  const double holders = traits.excludes ? static_cast<double>(traits.holders_of_a_key) : 1;
  const double most = working * busiest_key_share(cell) / holders;
  // Rounding must not refuse a load that is reached exactly.
  if (most < load.share * (1 - 1e-9)) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "load: %s is more than %d threads on %d processors give the busiest key, which is %.3g%% "
        "without think time; write saturated, a lower load, or sleep:%s with more threads",
        to_text(load), cell.threads, traits.processors, 100 * most, share_text(load.share)));
  }
  const double hold_ns = static_cast<double>(cell.hold.duration.count());
  const double think_ns = std::min(hold_ns * std::max(0.0, most / load.share - 1),
                                   static_cast<double>(kLongestDuration.count()));
  const Nanoseconds think{std::llround(think_ns)};
  if (think == Nanoseconds{0}) return Work{};
  return Work{.kind = load.sleeps ? Work::Kind::kRandomSleep : Work::Kind::kRandomSpin,
              .duration = think};
}

}  // namespace lockbench
