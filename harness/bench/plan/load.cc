// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/plan/load.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <absl/strings/str_format.h>

#include "harness/base/quantity.h"
#include "harness/bench/plan/in_ns.h"
#include "harness/bench/plan/spelling.h"

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
// The cost of a sleep to its processor: the system call, the timer, two context switches.
constexpr Nanoseconds kSleepCost = std::chrono::microseconds(20);

absl::Status unknown_load(std::string_view reason) {
  return absl::InvalidArgumentError(absl::StrFormat("load: %s", reason));
}

absl::Status check_load(const Cell& cell) {
  if (cell.mode != Mode::kTimed) {
    return unknown_load("belongs to mode timed; in mode open, write a rate");
  }
  if (!cell.hold.computes() && !cell.hold.sleeps()) {
    return unknown_load(
        "wants a hold with a duration, as 200ns: a key that is held for no known "
        "time has no known load");
  }
  return absl::OkStatus();
}

// The time for which an operation holds its keys: one hold after the other.
double held_ns(const Cell& cell, const CellTraits& traits) {
  return in_ns(cell.hold.duration) * traits.acquisitions_per_operation;
}

// How many threads work at once. Only sleeping threads leave their processors to others, in the
// hold as between operations.
double at_once(const Cell& cell, const CellTraits& traits, bool sleeps) {
  const bool shares = !sleeps && !cell.hold.sleeps();
  return shares ? std::min(cell.threads, traits.processors) : cell.threads;
}

// The share of the operations that hold the busiest key, of whose keys each is drawn by itself.
double operations_with_busiest_key(const Cell& cell, const CellTraits& traits) {
  return 1 - std::pow(1 - busiest_key_share(cell), traits.keys_per_operation);
}

// The share of the operations that keeps the busiest key from other threads.
double excluding_share(const Cell& cell, const CellTraits& traits) {
  // Without exclusion, the load is that of a lock in its place.
  const double holders = traits.excludes ? static_cast<double>(traits.holders_of_a_key) : 1;
  return operations_with_busiest_key(cell, traits) / holders;
}

// Rounding must not refuse what is reached exactly.
bool exceeds(double value, double most) {
  return value > most * (1 + 1e-9);
}

double to_four_digits(double value) {
  const double unit = std::pow(10, std::floor(std::log10(value)) - 3);
  return std::round(value / unit) * unit;
}

Work think_of(double think_ns, bool sleeps) {
  const Nanoseconds think{std::llround(std::min(think_ns, in_ns(kLongestDuration)))};
  if (think == Nanoseconds{0}) return Work{};
  return {.kind = sleeps ? Work::Kind::kRandomSleep : Work::Kind::kRandomSpin, .duration = think};
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
  const absl::Status known = check_load(cell);
  if (!known.ok()) return known;
  const Load& load = *cell.load;
  const double most = at_once(cell, traits, load.sleeps) * excluding_share(cell, traits);
  if (exceeds(load.share, most)) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "load: %s is more than %d threads on %d processors give the busiest key, which is %.3g%% "
        "without think time; write saturated, a lower load, or sleep:%s with more threads",
        to_text(load), cell.threads, traits.processors, 100 * most, share_text(load.share)));
  }
  return think_of(held_ns(cell, traits) * std::max(0.0, most / load.share - 1), load.sleeps);
}

absl::StatusOr<double> highest_load(const Cell& cell, const CellTraits& traits, bool sleeps) {
  const absl::Status known = check_load(cell);
  if (!known.ok()) return known;
  return std::min(1.0, at_once(cell, traits, sleeps) * excluding_share(cell, traits));
}

absl::StatusOr<RateLimits> rate_limits(const Cell& cell, const CellTraits& traits) {
  const absl::Status known = check_load(cell);
  if (!known.ok()) return known;
  const double held_s = held_ns(cell, traits) * 1e-9;
  // Operations that only read hold the busiest key together, as many as can be in a hold at once.
  const double writes = cell.write_share.value_or(1);
  const double alone = writes + (1 - writes) / at_once(cell, traits, false);
  RateLimits limits{.busiest_key_share = operations_with_busiest_key(cell, traits),
                    .threads_per_s = cell.threads / held_s,
                    .processors_per_s = traits.processors / held_s,
                    .key_per_s = 1 / (held_s * excluding_share(cell, traits) * alone),
                    .mutex_per_s = 1 / (held_s * excluding_share(cell, traits))};
  if (cell.hold.sleeps()) limits.processors_per_s = std::numeric_limits<double>::infinity();
  return limits;
}

namespace {

// A rate above the least limit, which alone says what is possible.
absl::Status beyond(double per_s, const Cell& cell, const CellTraits& traits,
                    const RateLimits& limits) {
  const double most = limits.least_per_s();
  const std::string held = to_text(Nanoseconds(std::llround(held_ns(cell, traits))));
  if (most == limits.key_per_s) {
    return too_much(per_s,
                    absl::StrFormat("any lock can do, since %.3g%% of them hold the busiest key",
                                    100 * limits.busiest_key_share),
                    most);
  }
  if (most == limits.processors_per_s) {
    return too_much(per_s,
                    absl::StrFormat("%d processors can do that compute for %s each time",
                                    traits.processors, held),
                    most);
  }
  return too_much(
      per_s, absl::StrFormat("%d threads can do that hold for %s each time", cell.threads, held),
      most);
}

}  // namespace

absl::StatusOr<Pace> pace_for_rate(const Cell& cell, double per_s, const CellTraits& traits) {
  const absl::StatusOr<RateLimits> limits = rate_limits(cell, traits);
  if (!limits.ok()) return limits.status();
  const double held_s = held_ns(cell, traits) * 1e-9;
  if (exceeds(per_s, limits->least_per_s())) return beyond(per_s, cell, traits, *limits);
  const double pause_s = cell.threads / per_s - held_s;
  const double spare_s = std::min(cell.threads, traits.processors) / per_s - held_s;
  const bool sleeps = pause_s >= in_ns(kLeastSleep) * 1e-9 &&
                      (cell.hold.sleeps() || spare_s >= in_ns(kSleepCost) * 1e-9);
  const double working = at_once(cell, traits, sleeps);
  const double share = per_s * held_s * excluding_share(cell, traits);
  if (exceeds(share, 1)) {
    return Pace{.load = {}, .think = think_of((working / per_s - held_s) * 1e9, sleeps)};
  }
  const double most = working * excluding_share(cell, traits);
  Cell with = cell;
  with.load = Load{.share = std::min(to_four_digits(share), most), .sleeps = sleeps};
  const absl::StatusOr<Work> think = think_for_load(with, traits);
  if (!think.ok()) return think.status();
  return Pace{.load = with.load, .think = *think};
}

}  // namespace lockbench
