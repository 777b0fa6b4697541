// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/plan/preset.h"

#include <map>

#include <absl/strings/str_split.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/plan/expand.h"
#include "harness/bench/plan/sweep_fields.h"
#include "tests/plan/matchers.h"

namespace lockbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Sweep fixed_sweep() {
  Sweep sweep = counter_sweep();
  sweep.mode = Mode::kFixed;
  sweep.operations = 10;
  return sweep;
}

TEST(Apply, AnOverriddenAxisReplacesItInEverySweep) {
  Sweep second = counter_sweep();
  second.threads = {1, 2};
  Overrides overrides{.sweep = {}, .blocks = 2, .seed = 9};
  overrides.sweep.threads = {3};
  const Preset preset = apply(preset_of({counter_sweep(), second}), overrides).value();
  EXPECT_THAT(preset.sweeps[0].threads, ElementsAre(3));
  EXPECT_THAT(preset.sweeps[1].threads, ElementsAre(3));
  EXPECT_EQ(preset.sweeps[1].primitives.size(), 2u);
  EXPECT_EQ(preset.blocks, 2u);
  EXPECT_EQ(preset.seed, 9u);
}

TEST(Apply, EveryFieldCanBeOverridden) {
  const std::map<std::string, std::string> values = absl::StrSplit(
      "primitive none workload transfer mode fixed threads 3 keys 5 key_type string "
      "key_distribution zipf:1 hold 7us think 9us load 50% writes 5% pinning compact timeout 1s "
      "warmup 3s window 4s operations 11 rate 1000 arrivals fixed watch conflicts sample_every 13 "
      "time_limit 99s",
      ' ');
  for (const SweepField& field : sweep_fields()) {
    Sweep over;
    const auto value = values.find(std::string(field.name));
    ASSERT_NE(value, values.end()) << field.name;
    ASSERT_TRUE(field.add(over, value->second).ok()) << field.name;
    EXPECT_NE(over, Sweep{}) << field.name;
    EXPECT_EQ(laid_over({}, over), over) << field.name;
  }
}

TEST(Apply, NothingOverriddenChangesNothing) {
  const Preset preset = preset_of({counter_sweep(), fixed_sweep()});
  EXPECT_EQ(apply(preset, {}).value(), preset);
}

TEST(Apply, AWindowGoesToTimedSweepsAndOperationsToFixedOnes) {
  Overrides overrides;
  overrides.sweep.window = std::chrono::milliseconds(7);
  overrides.sweep.operations = 77;
  const Preset preset = apply(preset_of({counter_sweep(), fixed_sweep()}), overrides).value();
  const Plan plan = expand(preset, accept_all).value();
  for (const Trial& trial : plan.trials) {
    const bool fixed = trial.cell.mode == Mode::kFixed;
    EXPECT_EQ(trial.cell.window, fixed ? Nanoseconds{0} : std::chrono::milliseconds(7));
    EXPECT_EQ(trial.cell.operations, fixed ? 77u : 0u);
  }
}

TEST(Apply, ASettingThatNoSweepCouldUseIsRefused) {
  Overrides operations;
  operations.sweep.operations = 77;
  EXPECT_EQ(message_of(apply(preset_of({counter_sweep()}), operations)),
            "operations: time decides how many in modes timed and open; give mode fixed with it");
  Overrides window;
  window.sweep.window = std::chrono::milliseconds(7);
  EXPECT_THAT(message_of(apply(preset_of({fixed_sweep()}), window)),
              HasSubstr("window: a trial in mode fixed ends after its operations"));
}

std::function<SweepDefaults(const WorkloadSpec&)> defaults_of(const SweepDefaults& defaults) {
  return [defaults](const WorkloadSpec&) { return defaults; };
}

TEST(PresetFrom, HasWhatTheCommandLineGivesAndUsualValuesElse) {
  Overrides overrides;
  overrides.sweep.threads = {3};
  const Preset preset = preset_from(overrides, defaults_of({}));
  EXPECT_EQ(preset.name, "command line");
  const Plan plan = expand(preset, accept_all).value();
  EXPECT_EQ(plan.trials.size(), SweepDefaults().primitives.size() * preset.blocks);
  EXPECT_EQ(plan.trials[0].cell.threads, 3u);
  EXPECT_EQ(plan.trials[0].cell.keys, 64u);
}

TEST(PresetFrom, TakesWhatGoesWithTheWorkloadWhereTheCommandLineGivesNothing) {
  const SweepDefaults defaults{
      .primitives = {{"lease", {}}}, .keys = 1, .key_type = KeyType::kString};
  Overrides overrides;
  overrides.sweep.workloads = {{"checkout", {}}};
  const Sweep sweep = preset_from(overrides, defaults_of(defaults)).sweeps[0];
  EXPECT_EQ(sweep.primitives, defaults.primitives);
  EXPECT_EQ(sweep.workloads, overrides.sweep.workloads);
  EXPECT_THAT(sweep.keys, ElementsAre(1));
  EXPECT_THAT(sweep.key_types, ElementsAre(KeyType::kString));
  overrides.sweep.primitives = {{"lease_tbb", {}}};
  EXPECT_EQ(preset_from(overrides, defaults_of(defaults)).sweeps[0].primitives,
            overrides.sweep.primitives);
}

TEST(PresetFrom, EachWorkloadHasItsOwnUsualValues) {
  const auto defaults_for = [](const WorkloadSpec& workload) {
    if (workload.name != "read_mostly") return SweepDefaults();
    return SweepDefaults{.primitives = {{"keyed_shared", {}}}, .write_share = 0.01};
  };
  Overrides overrides;
  overrides.sweep.workloads = {{"counter", {}}, {"read_mostly", {}}};
  const Preset usual = preset_from(overrides, defaults_for);
  ASSERT_EQ(usual.sweeps.size(), 2u);
  EXPECT_EQ(usual.sweeps[0].primitives, SweepDefaults().primitives);
  EXPECT_THAT(usual.sweeps[1].primitives, ElementsAre(PrimitiveSpec{"keyed_shared", {}}));
  EXPECT_THAT(usual.sweeps[1].write_shares, ElementsAre(0.01));

  // A share that is given is for the workload that reads; without one, it is for the check of the
  // cells to refuse.
  overrides.sweep.write_shares = {0.5};
  const Preset half = preset_from(overrides, defaults_for);
  EXPECT_TRUE(half.sweeps[0].write_shares.empty());
  EXPECT_THAT(half.sweeps[1].write_shares, ElementsAre(0.5));
  overrides.sweep.workloads = {{"counter", {}}};
  EXPECT_THAT(preset_from(overrides, defaults_for).sweeps[0].write_shares, ElementsAre(0.5));
}

TEST(PresetFrom, AssignedCountsDecideKeysAndOperations) {
  Overrides overrides;
  overrides.sweep.mode = Mode::kFixed;
  overrides.sweep.threads = {2};
  overrides.sweep.key_distributions = {
      {.kind = KeyDistribution::Kind::kAssigned, .counts = {3, 2, 1}}};
  const Plan plan = expand(preset_from(overrides, defaults_of({})), accept_all).value();
  EXPECT_EQ(plan.trials[0].cell.keys, 3u);
  EXPECT_EQ(plan.trials[0].cell.operations, 3u);
}

TEST(PresetFrom, ThreadsWithKeysOfTheirOwnDecideHowMany) {
  Overrides overrides;
  overrides.sweep.threads = {3};
  overrides.sweep.key_distributions = {{.kind = KeyDistribution::Kind::kOwn, .counts = {}}};
  EXPECT_EQ(expand(preset_from(overrides, defaults_of({})), accept_all)->trials[0].cell.keys, 3u);
  overrides.sweep.keys = {2};
  EXPECT_EQ(expand(preset_from(overrides, defaults_of({})), accept_all)->trials[0].cell.keys, 2u);
}

TEST(SweepFields, EveryFieldCanBeSetByItsName) {
  Sweep sweep;
  for (const SweepField& field : sweep_fields()) {
    EXPECT_EQ(find_sweep_field(field.name), &field);
    EXPECT_FALSE(field.add(sweep, "!").ok()) << field.name;
  }
  EXPECT_EQ(find_sweep_field("treads"), nullptr);
  EXPECT_EQ(sweep, Sweep{});
}

TEST(SweepFields, AnAxisTakesValuesBetweenCommasWhereTheyHaveNoneThemselves) {
  Sweep sweep;
  ASSERT_TRUE(find_sweep_field("hold")->add(sweep, "0,200ns").ok());
  ASSERT_TRUE(find_sweep_field("hold")->add(sweep, "sleep:1ms").ok());
  EXPECT_EQ(sweep.holds.size(), 3u);
  ASSERT_TRUE(find_sweep_field("primitive")->add(sweep, "striped:lock=std,stripes=4").ok());
  EXPECT_EQ(sweep.primitives.size(), 1u);
}

}  // namespace
}  // namespace lockbench
