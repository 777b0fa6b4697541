// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/real/investigation.h"

#include <algorithm>

#include "harness/stress/real/epoch.h"
#include "harness/stress/real/supervisor.h"

namespace lockbench::stress::real {
namespace {

using Clock = std::chrono::steady_clock;

// Shorter epochs are not worth their threads.
constexpr std::chrono::milliseconds kShortest{5};

void run(Board& board, const Lineup& lineup, const Series& series) {
  for (std::uint64_t i = 0; i < series.most_epochs; ++i) {
    const auto left = std::chrono::floor<std::chrono::milliseconds>(series.until - Clock::now());
    if (left < kShortest) return;
    const std::size_t mode = series.modes[i % series.modes.size()];
    EpochPlan plan = plan_epoch(lineup, series.wish, modes()[mode], epoch_seed(series.seed, i));
    plan.length = std::min(plan.length, left);
    put(board.mode, mode);
    put(board.seed, plan.seed);
    run_epoch(board, lineup, plan);
    add(board.epochs[mode]);
  }
}

}  // namespace

bool investigate(Board& board, const Lineup& lineup, const Series& series,
                 const std::function<void()>& look) {
  return watch_over(
      board, [&] { run(board, lineup, series); }, look);
}

}  // namespace lockbench::stress::real
