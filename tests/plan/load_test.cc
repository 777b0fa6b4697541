// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/plan/load.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/plan/expand.h"
#include "harness/bench/plan/spelling.h"
#include "tests/plan/matchers.h"

namespace lockbench {
namespace {

using ::testing::HasSubstr;

struct Case {
  std::string load;
  std::uint32_t threads;
  std::uint32_t processors;
  std::uint64_t keys;
  std::string keys_drawn;
  std::string hold;
  std::string think;  // expected, as users write it; or what is said instead
};

Cell cell_of(const Case& one) {
  Cell cell;
  cell.primitive.name = "keyed";
  cell.workload.name = "counter";
  cell.load = parse_load(one.load).value();
  cell.threads = one.threads;
  cell.keys = one.keys;
  cell.key_distribution = parse_key_distribution(one.keys_drawn).value();
  cell.hold = parse_work(one.hold).value();
  return cell;
}

TEST(Load, DeterminesTheThinkTime) {
  const Case cases[] = {
      // One thread: hold / (hold + think).
      {"50%", 1, 2, 1, "uniform", "200ns", "exp:200ns"},
      {"10%", 1, 2, 1, "uniform", "200ns", "exp:1.8us"},
      {"100%", 1, 2, 1, "uniform", "200ns", "0"},
      // Two threads on two processors request twice as often as one.
      {"50%", 2, 2, 1, "uniform", "200ns", "exp:600ns"},
      // More threads than processors compute no faster than there are processors.
      {"50%", 8, 2, 1, "uniform", "200ns", "exp:600ns"},
      {"50%", 8, 8, 1, "uniform", "200ns", "exp:3us"},
      // Threads that sleep use no processor meanwhile.
      {"sleep:50%", 8, 2, 1, "uniform", "1us", "sleep:exp:15us"},
      {"50%", 8, 2, 1, "uniform", "sleep:1us", "exp:15us"},
      // Each of 4 keys gets a quarter of the operations.
      {"50%", 8, 8, 4, "uniform", "1us", "exp:3us"},
      // One of 10 keys gets 90 %.
      {"90%", 2, 2, 10, "hot:0.1,0.9", "1us", "exp:1us"},
      // Ranks 1 and 2 with weights 1 and 1/2.
      {"50%", 3, 3, 2, "zipf:1", "1us", "exp:3us"},
      // 4 threads on 2 keys of their own: half of the operations for each key.
      {"50%", 4, 4, 2, "own", "1us", "exp:3us"},
  };
  for (const Case& one : cases) {
    const absl::StatusOr<Work> think = think_for_load(cell_of(one), {.processors = one.processors});
    ASSERT_TRUE(think.ok()) << one.load << ' ' << think.status();
    EXPECT_EQ(to_text(*think), one.think) << one.load << ", " << one.threads << " threads";
  }
}

TEST(Load, IsOfOneOfTheHoldersThatAKeyMayHave) {
  const Cell cell = cell_of({"50%", 8, 8, 1, "uniform", "1us", ""});
  EXPECT_EQ(to_text(think_for_load(cell, {.holders_of_a_key = 4, .processors = 8}).value()),
            "exp:3us");
  // Without exclusion, any number may hold: the load is that of a lock in its place.
  EXPECT_EQ(
      to_text(think_for_load(cell, {.holders_of_a_key = 8, .excludes = false, .processors = 8})
                  .value()),
      "exp:15us");
}

TEST(Load, CountsEachHoldAndEachKeyOfAnOperation) {
  Cell cell = cell_of({"50%", 1, 1, 1, "uniform", "1us", ""});
  EXPECT_EQ(
      to_text(think_for_load(cell, {.acquisitions_per_operation = 5, .processors = 1}).value()),
      "exp:5us");
  // With 2 keys drawn from 2, three operations of four hold the first: a thread gives it 75 %.
  cell = cell_of({"25%", 1, 1, 2, "uniform", "1us", ""});
  EXPECT_EQ(to_text(think_for_load(cell, {.keys_per_operation = 2, .processors = 1}).value()),
            "exp:2us");
}

TEST(Load, ReadersMayDoMoreThanAMutexCould) {
  Cell cell = cell_of({"50%", 8, 8, 1, "uniform", "1us", ""});
  cell.load.reset();
  const CellTraits traits{.processors = 8};
  cell.write_share = 0.1;
  // As many as exclude each other are a load, as ever.
  EXPECT_EQ(to_text(pace_for_rate(cell, 500'000, traits)->load), "50%");
  // 0.1 us alone and 0.9 us together with 7 others: 4.7 M/s.
  const absl::StatusOr<Pace> more = pace_for_rate(cell, 4'000'000, traits);
  ASSERT_TRUE(more.ok()) << more.status();
  EXPECT_EQ(more->load, std::nullopt);
  EXPECT_EQ(to_text(more->think), "exp:1us");
  EXPECT_THAT(
      std::string(pace_for_rate(cell, 5'000'000, traits).status().message()),
      HasSubstr("any lock can do, since 100% of them hold the busiest key: at most 4705882"));
}

TEST(Load, ThatCannotBeReachedSaysHowFarTheThreadsGet) {
  const Cell cell = cell_of({"50%", 8, 2, 64, "uniform", "1us", ""});
  const absl::Status status = think_for_load(cell, {.processors = 2}).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("load: 50% is more than 8 threads on 2 processors give the busiest key, "
                        "which is 3.12% without think time"));
}

TEST(Load, IsRefusedWhereItIsUnknown) {
  const auto refusal = [](const Cell& cell, const CellTraits& traits = {}) {
    return std::string(think_for_load(cell, traits).status().message());
  };
  Cell cell = cell_of({"50%", 1, 1, 1, "uniform", "0", ""});
  EXPECT_THAT(refusal(cell), HasSubstr("wants a hold with a duration"));
  cell.hold = parse_work("touch:8").value();
  EXPECT_THAT(refusal(cell), HasSubstr("wants a hold with a duration"));
  cell.hold = parse_work("1us").value();
  cell.mode = Mode::kOpen;
  EXPECT_THAT(refusal(cell), HasSubstr("belongs to mode timed"));
}

TEST(Load, OfARateIsSleptOrComputed) {
  struct Row {
    double per_s;
    Case cell;  // whose load and think time are expected
  };
  const Row rows[] = {
      // A server: 64,000 requests a second, 0.0192 of them for the busiest key.
      {64'000, {"sleep:0.3456%", 32, 2, 5000, "hot:0.01,0.9", "3us", "sleep:exp:497us"}},
      // A pause of 62 us is too short to be slept; the processors share the work.
      {512'000, {"0.01024%", 32, 2, 5000, "uniform", "1us", "exp:2.906us"}},
      // Long pauses, but the processors have no time for so many sleeps.
      {200'000, {"20%", 100, 2, 1, "uniform", "1us", "exp:9us"}},
      // The hold sleeps.
      {1'000, {"sleep:10%", 16, 2, 10, "uniform", "sleep:1ms", "sleep:exp:15ms"}},
      // As much as a thread can do.
      {1'000'000, {"100%", 1, 2, 1, "uniform", "1us", "0"}},
  };
  for (const Row& row : rows) {
    Cell cell = cell_of(row.cell);
    cell.load.reset();
    const CellTraits traits{.processors = row.cell.processors};
    const absl::StatusOr<Pace> pace = pace_for_rate(cell, row.per_s, traits);
    ASSERT_TRUE(pace.ok()) << pace.status();
    EXPECT_EQ(to_text(pace->load), row.cell.load);
    cell.load = pace->load;
    const Work think = think_for_load(cell, traits).value();
    EXPECT_EQ(pace->think, think);
    EXPECT_EQ(think.sleeps(), row.cell.think.starts_with("sleep"));
    // Four digits of the load.
    const auto expected = parse_work(row.cell.think).value().duration.count();
    EXPECT_NEAR(static_cast<double>(think.duration.count()), static_cast<double>(expected),
                1e-3 * static_cast<double>(expected));
  }
}

TEST(Load, OfARateThatIsTooHighSaysWhatIsPossible) {
  struct Row {
    double per_s;
    Case cell;
  };
  const Row rows[] = {
      {64'000,
       {"50%", 2, 8, 64, "uniform", "100us",
        "2 threads can do that hold for 100us each time: at most 20000"}},
      {640'000,
       {"50%", 32, 2, 64, "uniform", "5us",
        "2 processors can do that compute for 5us each time: at most 400000"}},
      {400'000,
       {"50%", 32, 8, 2, "hot:0.5,0.9", "3us",
        "any lock can do, since 90% of them hold the busiest key: at most 370370"}},
      // More than the threads and the processors can do, too: the least limit counts.
      {480'000,
       {"50%", 16, 8, 1, "uniform", "50us",
        "any lock can do, since 100% of them hold the busiest key: at most 20000"}},
  };
  for (const auto& [per_s, one] : rows) {
    const absl::Status status =
        pace_for_rate(cell_of(one), per_s, {.processors = one.processors}).status();
    EXPECT_TRUE(absl::IsFailedPrecondition(status));
    EXPECT_THAT(std::string(status.message()), HasSubstr(one.think));
  }
}

TEST(Load, HasOneSpelling) {
  for (const char* const text : {"10%", "99.5%", "sleep:50%", "saturated"}) {
    EXPECT_EQ(to_text(parse_load(text).value()), text);
  }
  for (const char* const text : {"0%", "101%", "half", "0.5", "-1%", "sleep:", "sleep:0%", ""}) {
    const auto parsed = parse_load(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_THAT(std::string(parsed.status().message()), HasSubstr("is not a load; write")) << text;
  }
}

// Every thread alone reaches 50 %; with 64 keys none does.
Preset with_loads(const std::vector<std::uint64_t>& keys) {
  Sweep sweep = counter_sweep();
  sweep.keys = keys;
  sweep.holds = {parse_work("1us").value()};
  sweep.loads = {parse_load("50%").value(), parse_load("saturated").value()};
  return preset_of({sweep});
}

TEST(Load, IsMeasuredInTheCellsThatReachIt) {
  const Plan plan = expand(with_loads({1, 64}), accept_all).value();
  std::size_t loaded = 0;
  for (const Trial& trial : plan.trials) {
    if (!trial.cell.load) continue;
    ++loaded;
    EXPECT_EQ(trial.cell.keys, 1u);
    EXPECT_EQ(to_text(trial.cell.think), "exp:1us");
  }
  EXPECT_GT(loaded, 0u);
  EXPECT_GT(plan.trials.size(), 2 * loaded);  // saturated: with 64 keys, too
}

TEST(Load, ThatNoCellReachesIsAnErrorIfAUserAsksForIt) {
  Preset preset = with_loads({64});
  EXPECT_TRUE(expand(preset, accept_all).ok());  // saturated is left
  preset.sweeps[0].every_load = true;
  const auto plan = expand(preset, accept_all);
  ASSERT_FALSE(plan.ok());
  EXPECT_THAT(std::string(plan.status().message()), HasSubstr("load: 50% is more than"));
}

TEST(Load, ThatLeavesASweepWithoutACellIsAnError) {
  Preset preset = with_loads({64});
  preset.sweeps[0].loads = {parse_load("50%").value()};
  EXPECT_FALSE(expand(preset, accept_all).ok());
}

TEST(Load, AndThinkTogetherAreRefused) {
  Preset preset = with_loads({1});
  preset.sweeps[0].thinks = {parse_work("1us").value()};
  const auto plan = expand(preset, accept_all);
  ASSERT_FALSE(plan.ok());
  EXPECT_THAT(std::string(plan.status().message()), HasSubstr("leave out think"));
}

TEST(Load, OfACommandLineReplacesTheThinkTimeOfAPreset) {
  Sweep sweep = counter_sweep();
  sweep.thinks = {parse_work("1us").value()};
  Overrides overrides;
  overrides.sweep.loads = {parse_load("50%").value()};
  const Preset changed = apply(preset_of({sweep}), overrides).value();
  EXPECT_TRUE(changed.sweeps[0].thinks.empty());
  EXPECT_EQ(changed.sweeps[0].loads.size(), 1u);
  EXPECT_TRUE(changed.sweeps[0].every_load);
  // And the other way round.
  overrides.sweep = {};
  overrides.sweep.thinks = {parse_work("2us").value()};
  EXPECT_TRUE(apply(changed, overrides).value().sweeps[0].loads.empty());
}

TEST(Load, OfACommandLineIsForTimedSweeps) {
  Overrides overrides;
  overrides.sweep.loads = {parse_load("50%").value()};
  Sweep fixed = counter_sweep();
  fixed.mode = Mode::kFixed;
  fixed.operations = 1;
  const Preset both = apply(preset_of({counter_sweep(), fixed}), overrides).value();
  EXPECT_EQ(both.sweeps[0].loads.size(), 1u);
  EXPECT_TRUE(both.sweeps[1].loads.empty());
  EXPECT_FALSE(apply(preset_of({fixed}), overrides).ok());
}

}  // namespace
}  // namespace lockbench
