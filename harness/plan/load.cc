// SPDX-License-Identifier: Apache-2.0

#include "harness/plan/load.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <absl/strings/str_format.h>

#include "harness/base/quantity.h"
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

// A kernel wakes a thread some 60 us late; below this pause the rate would be far from the one that
// was asked for.
constexpr Nanoseconds kLeastSleep = std::chrono::microseconds(200);
// What a sleep costs its processor: the system call, the timer, two context switches.
constexpr Nanoseconds kSleepCost = std::chrono::microseconds(20);

double ns_of(Nanoseconds duration) {
  return static_cast<double>(duration.count());
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

// How many threads work at once. Only sleeping threads leave their processors to others, in the
// hold as between operations.
double at_once(const Cell& cell, const CellTraits& traits, bool sleeps) {
  const bool shares = !sleeps && !cell.hold.sleeps();
  return shares ? std::min(cell.threads, traits.processors) : cell.threads;
}

// The share of the holds that keeps the busiest key from other threads.
double excluding_share(const Cell& cell, const CellTraits& traits) {
  // Without exclusion, the load is that of a lock in its place.
  const double holders = traits.excludes ? static_cast<double>(traits.holders_of_a_key) : 1;
  return busiest_key_share(cell) / holders;
}

// Rounding must not refuse what is reached exactly.
bool exceeds(double value, double most) {
  return value > most * (1 + 1e-9);
}

double to_four_digits(double value) {
  const double unit = std::pow(10, std::floor(std::log10(value)) - 3);
  return std::round(value / unit) * unit;
}

absl::Status too_much(double per_s, std::string_view reason, double most_per_s) {
  return absl::FailedPreconditionError(
      absl::StrFormat("%.0f operations per second are more than %s: at most %.0f", per_s, reason,
                      std::floor(most_per_s * (1 + 1e-9))));
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
  const double most = at_once(cell, traits, load.sleeps) * excluding_share(cell, traits);
  if (exceeds(load.share, most)) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "load: %s is more than %d threads on %d processors give the busiest key, which is %.3g%% "
        "without think time; write saturated, a lower load, or sleep:%s with more threads",
        to_text(load), cell.threads, traits.processors, 100 * most, share_text(load.share)));
  }
  const double think_ns = std::min(ns_of(cell.hold.duration) * std::max(0.0, most / load.share - 1),
                                   ns_of(kLongestDuration));
  const Nanoseconds think{std::llround(think_ns)};
  if (think == Nanoseconds{0}) return Work{};
  return Work{.kind = load.sleeps ? Work::Kind::kRandomSleep : Work::Kind::kRandomSpin,
              .duration = think};
}

absl::StatusOr<double> highest_load(const Cell& cell, const CellTraits& traits, bool sleeps) {
  const absl::Status known = check_load(cell, traits);
  if (!known.ok()) return known;
  return std::min(1.0, at_once(cell, traits, sleeps) * excluding_share(cell, traits));
}

absl::StatusOr<Load> load_for_rate(const Cell& cell, double per_s, const CellTraits& traits) {
  const absl::Status known = check_load(cell, traits);
  if (!known.ok()) return known;
  const double hold_s = ns_of(cell.hold.duration) * 1e-9;
  if (const double most = cell.threads / hold_s; exceeds(per_s, most)) {
    return too_much(per_s,
                    absl::StrFormat("%d threads can do that hold for %s each time", cell.threads,
                                    to_text(cell.hold.duration)),
                    most);
  }
  if (const double most = traits.processors / hold_s; !cell.hold.sleeps() && exceeds(per_s, most)) {
    return too_much(per_s,
                    absl::StrFormat("%d processors can do that compute for %s each time",
                                    traits.processors, to_text(cell.hold.duration)),
                    most);
  }
  const double share = per_s * hold_s * excluding_share(cell, traits);
  if (exceeds(share, 1)) {
    return too_much(per_s,
                    absl::StrFormat("any lock can do, since %.3g%% of them hold the busiest key",
                                    100 * busiest_key_share(cell)),
                    per_s / share);
  }
  const double pause_s = cell.threads / per_s - hold_s;
  const double spare_s = std::min(cell.threads, traits.processors) / per_s - hold_s;
  const bool sleeps = pause_s >= ns_of(kLeastSleep) * 1e-9 &&
                      (cell.hold.sleeps() || spare_s >= ns_of(kSleepCost) * 1e-9);
  const double most = at_once(cell, traits, sleeps) * excluding_share(cell, traits);
  return Load{.share = std::min(to_four_digits(share), most), .sleeps = sleeps};
}

}  // namespace lockbench
