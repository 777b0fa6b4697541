// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/epoch_series.h"

#include <algorithm>

#include "harness/stress/threads/epoch.h"

namespace lockbench::stress::threads {
namespace {

using Clock = std::chrono::steady_clock;

// Shorter epochs are not worth the time to start their threads.
constexpr std::chrono::milliseconds kShortest{5};

void run(SharedState& state, const RegisteredLock& entry, const Series& series) {
  for (std::uint64_t i = 0; i < series.most_epochs; ++i) {
    const auto left = std::chrono::floor<std::chrono::milliseconds>(series.until - Clock::now());
    if (left < kShortest) return;
    const std::size_t mode = series.modes[i % series.modes.size()];
    EpochPlan plan = plan_epoch(entry, series.wish, modes()[mode], epoch_seed(series.seed, i));
    plan.length = std::min(plan.length, left);
    put(state.mode, mode);
    put(state.seed, plan.seed);
    run_epoch(state, entry, plan);
    add(state.epochs[mode]);
  }
}

}  // namespace

Supervised test_lock(SharedState& state, const RegisteredLock& entry, const Series& series,
                     const std::function<void()>& look) {
  return supervise(
      state, [&] { run(state, entry, series); }, look, series.ends_by);
}

}  // namespace lockbench::stress::threads
