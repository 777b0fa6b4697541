// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/plan/expand.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/plan/json.h"
#include "harness/bench/plan/limits.h"
#include "harness/bench/plan/spelling.h"
#include "tests/plan/matchers.h"

namespace lockbench {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Preset small() {
  Sweep sweep = counter_sweep();
  sweep.threads = {1, 2, 4};
  sweep.keys = {1, 64};
  Preset preset = preset_of({sweep});
  preset.blocks = 3;
  preset.seed = 7;
  return preset;
}

std::multiset<std::string> cells_of_block(const Plan& plan, std::uint32_t block) {
  std::multiset<std::string> cells;
  for (const Trial& trial : plan.trials) {
    if (trial.block == block) cells.insert(to_json(trial.cell));
  }
  return cells;
}

TEST(Expand, EveryBlockHoldsAllCombinationsOfTheAxesOnce) {
  const Plan plan = expand(small(), accept_all).value();
  EXPECT_EQ(plan.trials.size(), 3u * 2 * 3 * 2);
  EXPECT_EQ(plan.preset, "test");
  EXPECT_EQ(plan.blocks, 3u);
  EXPECT_EQ(plan.seed, 7u);
  const auto first = cells_of_block(plan, 0);
  EXPECT_EQ(std::set<std::string>(first.begin(), first.end()).size(), 12u);
  EXPECT_EQ(cells_of_block(plan, 1), first);
  EXPECT_EQ(cells_of_block(plan, 2), first);
}

TEST(Expand, ACellOfTwoSweepsIsMeasuredOncePerBlock) {
  Preset preset = small();
  Sweep again = counter_sweep();
  again.threads = {2, 8};
  again.keys = {64};
  preset.sweeps.push_back(again);
  EXPECT_EQ(expand(preset, accept_all).value().trials.size(), 3u * (12 + 2));
}

TEST(Expand, FillsInWhatASweepDoesNotSay) {
  const Cell cell = expand(preset_of({counter_sweep()}), accept_all).value().trials[0].cell;
  EXPECT_EQ(cell.threads, 1u);
  EXPECT_EQ(cell.keys, 1u);
  EXPECT_EQ(cell.window, std::chrono::milliseconds(100));
  EXPECT_EQ(cell.warmup, std::chrono::milliseconds(20));
  EXPECT_EQ(cell.stall_limit, stall_limit_of(cell, {}));
  EXPECT_EQ(cell.time_limit, time_limit_of(cell, {}));
}

TEST(Expand, AssignedCountsGiveKeysAndOperations) {
  Sweep sweep = counter_sweep();
  sweep.mode = Mode::kFixed;
  sweep.threads = {3, 21};
  sweep.key_distributions = {parse_key_distribution("assigned:6,2,5,3,2,3").value()};
  const Plan plan = expand(preset_of({sweep}), accept_all).value();
  for (const Trial& trial : plan.trials) {
    EXPECT_EQ(trial.cell.keys, 6u);
    EXPECT_EQ(trial.cell.operations, 21 / trial.cell.threads);
  }
}

TEST(Expand, AnImpossibleCellIsToldWithSourceCellAndReason) {
  Sweep sweep = counter_sweep();
  sweep.where = "a.toml:4:1";
  sweep.threads = {2};
  sweep.mode = Mode::kFixed;
  sweep.key_distributions = {parse_key_distribution("assigned:1,2").value()};
  EXPECT_EQ(message_of(expand(preset_of({sweep}), accept_all)),
            "a.toml:4:1: global, counter, 2 threads, 2 keys, assigned:1,2, 1 operation each: "
            "key_distribution: the assigned counts add up to 3, but 2 threads do 1 operations "
            "each; the sums must be equal");
}

TEST(Expand, ACellThatTheCatalogRefusesIsAnError) {
  Sweep sweep = counter_sweep();
  sweep.where = "a.toml:4:1";
  const auto refuse_keyed = [](const Cell& cell) -> absl::StatusOr<CellTraits> {
    if (cell.primitive.name == "keyed") return absl::FailedPreconditionError("not here");
    return CellTraits{};
  };
  EXPECT_EQ(message_of(expand(preset_of({sweep}), refuse_keyed)),
            "a.toml:4:1: keyed, counter, 1 thread, 1 key: not here");
}

TEST(Expand, OverriddenPrimitivesAreLeftOutWhereTheyMakeNoSense) {
  Sweep nested = counter_sweep();
  nested.workloads = {{"nested", {}}};
  Overrides overrides;
  overrides.sweep.primitives = {{"keyed", {}}};
  const Preset preset = apply(preset_of({counter_sweep(), nested}), overrides).value();
  const auto no_nesting = [](const Cell& cell) -> absl::StatusOr<CellTraits> {
    if (cell.workload.name == "nested") return absl::FailedPreconditionError("keyed cannot nest");
    return CellTraits{};
  };
  EXPECT_EQ(expand(preset, no_nesting).value().trials.size(), preset.blocks);

  const auto nowhere = [](const Cell&) { return absl::FailedPreconditionError("nowhere"); };
  EXPECT_THAT(message_of(expand(preset, nowhere)), HasSubstr("keyed, counter"));
  const auto unknown = [](const Cell& cell) -> absl::StatusOr<CellTraits> {
    if (cell.workload.name == "nested") return absl::InvalidArgumentError("unknown");
    return CellTraits{};
  };
  EXPECT_THAT(message_of(expand(preset, unknown)), HasSubstr("unknown"));
}

TEST(Expand, APlanBeyondAllMeasureIsRefused) {
  Sweep sweep = counter_sweep();
  for (std::uint32_t i = 1; i <= 400; ++i) {
    sweep.threads.push_back(i);
    sweep.keys.push_back(i);
  }
  sweep.where = "a.toml:4:1";
  EXPECT_EQ(message_of(expand(preset_of({sweep}), accept_all)),
            "a.toml:4:1: the sweep has more than 100000 cells; take fewer values");
  Preset preset = small();
  preset.blocks = 10'000;
  EXPECT_THAT(message_of(expand(preset, accept_all)),
              StartsWith("blocks: 10000 of 12 cells each is out of range"));
  EXPECT_EQ(message_of(expand(preset_of({}), accept_all)), "the plan is empty; add a [[sweep]]");
}

}  // namespace
}  // namespace lockbench
