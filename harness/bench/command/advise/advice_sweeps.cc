// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/advise/advice_sweeps.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "harness/bench/command/advise/candidates.h"
#include "harness/bench/plan/window.h"

namespace lockbench {
namespace {

using std::chrono::milliseconds;

constexpr Nanoseconds kWarmup = milliseconds(20);
// With more threads than processors, a shorter window measures the scheduler.
constexpr Nanoseconds kLeastWindow = milliseconds(50);

constexpr std::array kMapReads{0.5, 0.9, 0.99};
constexpr std::array<Nanoseconds, 3> kMapHolds{Nanoseconds(200), Nanoseconds(2'000),
                                               Nanoseconds(20'000)};
// Shares of the highest rate that any lock keeps, at which the p99 wait of each lock is measured.
constexpr std::array kRateSteps{0.1, 0.3, 0.5, 0.7, 0.85};
// A p99 is the wait of one operation in a hundred.
constexpr double kOpenOperations = 200;
constexpr Nanoseconds kLeastOpenWindow = milliseconds(100);

// A sleep needs more time than a reading of the clock, and there are fewer waits to time.
bool sleeps_between(const Loads& loads, const Cell& cell) {
  return cell.think.sleeps() || std::any_of(loads.begin(), loads.end(),
                                            [](const auto& load) { return load && load->sleeps; });
}

// How many waits are timed, 1 in so many; absent: the usual number. Few operations write, and
// whether writers starve is asked: where a reading of the clock is short beside the hold, more.
std::optional<std::uint32_t> sample_every_for(const Cell& cell, const Loads& loads) {
  if (sleeps_between(loads, cell)) return 1;
  if (!cell.write_share || cell.hold.duration < std::chrono::microseconds(1)) return std::nullopt;
  return cell.hold.duration < std::chrono::microseconds(10) ? 8 : 1;
}

// The window that the cells with the most threads need: one for all, so that the budget is known.
WindowNeeds needs_of(const Cell& asked, const Loads& loads, const CellTraits& traits) {
  WindowNeeds needs{.warmup = kWarmup, .window = kLeastWindow};
  const auto include = [&](const Cell& cell) {
    const WindowNeeds own = window_needs(cell, traits);
    needs.warmup = std::max(needs.warmup, own.warmup);
    needs.window = std::max(needs.window, own.window);
  };
  Cell cell = asked;
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

// The part that all sweeps have in common.
Sweep sweep_over(const Cell& cell, std::vector<PrimitiveSpec> primitives) {
  Sweep sweep{.primitives = std::move(primitives),
              .workloads = {cell.workload},
              .threads = {cell.threads},
              .keys = {cell.keys},
              .key_types = {cell.key_type},
              .key_distributions = {cell.key_distribution},
              .holds = {cell.hold},
              .timeouts = {cell.timeout}};
  if (cell.write_share) sweep.write_shares = {cell.write_share};
  if (cell.pinning != "none") sweep.pinnings = {cell.pinning};
  return sweep;
}

}  // namespace

Sweep case_sweep(const AdviceCase& wanted, const Loads& loads, const CellTraits& traits) {
  const Cell& cell = wanted.cell;
  Sweep sweep = sweep_over(cell, candidates_for(wanted));
  const WindowNeeds needs = needs_of(cell, loads, traits);
  sweep.threads = threads_for(wanted);
  sweep.loads = loads;
  sweep.warmup = needs.warmup;
  sweep.window = needs.window;
  if (loads.empty()) sweep.thinks = {cell.think};
  sweep.sample_every = sample_every_for(cell, loads);
  return sweep;
}

std::vector<Sweep> map_sweeps(const AdviceCase& wanted, const CellTraits& traits) {
  std::vector<Sweep> sweeps;
  Cell cell = wanted.cell;
  cell.load.reset();
  for (const Nanoseconds hold : kMapHolds) {
    cell.hold = {.kind = Work::Kind::kSpin, .duration = hold};
    cell.think = {.kind = Work::Kind::kRandomSpin, .duration = hold};
    const WindowNeeds needs = needs_of(cell, {}, traits);
    Sweep sweep = sweep_over(cell, map_candidates_for(wanted));
    sweep.write_shares.clear();
    for (const double reads : kMapReads) sweep.write_shares.emplace_back(1 - reads);
    sweep.thinks = {cell.think};
    sweep.warmup = needs.warmup;
    sweep.window = needs.window;
    sweep.sample_every = sample_every_for(cell, {});
    sweeps.push_back(std::move(sweep));
  }
  return sweeps;
}

std::vector<Sweep> rate_sweeps(const AdviceCase& wanted, const RateLimits& limits) {
  const std::optional<double> asked = rate_of(wanted);
  std::vector<std::uint64_t> rates;
  if (asked) rates.push_back(static_cast<std::uint64_t>(std::llround(*asked)));
  for (const double step : kRateSteps) {
    const double rate = step * limits.least_per_s();
    if (!asked || rate > *asked) rates.push_back(static_cast<std::uint64_t>(std::llround(rate)));
  }
  std::vector<Sweep> sweeps;
  for (const std::uint64_t rate : rates) {
    if (rate == 0) continue;
    Sweep sweep = sweep_over(wanted.cell, candidates_for(wanted));
    sweep.mode = Mode::kOpen;
    sweep.rates = {rate};
    sweep.warmup = kWarmup;
    const Nanoseconds needed{std::llround(1e9 * kOpenOperations / static_cast<double>(rate))};
    sweep.window = std::max(kLeastOpenWindow, needed);
    sweeps.push_back(std::move(sweep));
  }
  return sweeps;
}

std::int64_t cells_of(const Sweep& sweep) {
  const auto many = [](const auto& axis) { return std::max<std::size_t>(1, axis.size()); };
  return static_cast<std::int64_t>(sweep.primitives.size() * many(sweep.threads) *
                                   many(sweep.holds) * many(sweep.write_shares) *
                                   many(sweep.loads) * many(sweep.rates));
}

}  // namespace lockbench
