// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/quantity.h"
#include "harness/bench/command/advise/advice_case.h"
#include "harness/bench/command/run/core_binding.h"
#include "harness/bench/plan/spelling.h"

namespace lockbench {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Nanoseconds kUsualBudget = seconds(30);

absl::StatusOr<CellTraits> on_two_processors(const Cell&) {
  return CellTraits{.processors = 2};
}

AdviceCase case_of(std::uint32_t threads, std::uint64_t keys, const std::string& hold = "200ns") {
  AdviceCase wanted;
  wanted.cell.threads = threads;
  wanted.cell.keys = keys;
  wanted.cell.hold = parse_work(hold).value();
  return wanted;
}

// The loads of a plan, and their think times, in words, from the lowest on.
std::vector<std::string> loads_of(const Plan& plan) {
  const auto before = [](const Cell& a, const Cell& b) {
    return a.think.duration > b.think.duration;
  };
  std::multiset<Cell, decltype(before)> cells(before);
  for (const Trial& trial : plan.trials) {
    if (trial.block == 0 && trial.cell.primitive == plan.trials.front().cell.primitive) {
      cells.insert(trial.cell);
    }
  }
  std::vector<std::string> found;
  for (const Cell& cell : cells) found.push_back(to_text(cell.load) + " " + to_text(cell.think));
  return found;
}

Nanoseconds time_of(const Plan& plan) {
  Nanoseconds sum{0};
  for (const Trial& trial : plan.trials) sum += trial.cell.warmup + trial.cell.window;
  return sum;
}

TEST(AdvicePlan, MeasuresSeveralLoadsIfNothingSaysHowOftenTheThreadsLock) {
  const Plan one_key = advice_plan(case_of(2, 1), kUsualBudget, on_two_processors).value();
  EXPECT_THAT(loads_of(one_key),
              ElementsAre("10% exp:3.8us", "50% exp:600ns", "90% exp:244ns", "saturated 0"));
  // The threads cannot keep one of many keys busy: parts of what they reach.
  const Plan many_keys = advice_plan(case_of(8, 1000), kUsualBudget, on_two_processors).value();
  EXPECT_THAT(loads_of(many_keys),
              ElementsAre("0.02% exp:1.8us", "0.1% exp:200ns", "0.18% exp:22ns", "saturated 0"));
  EXPECT_LE(time_of(many_keys), kUsualBudget);
  EXPECT_GE(time_of(many_keys), kUsualBudget / 2);
}

TEST(AdvicePlan, HasTheLoadsThatTheBudgetPermits) {
  struct Row {
    Nanoseconds budget;
    std::vector<std::string> loads;
  };
  // Three candidates for one key, 7 times each, 95 ms a trial: 2 s a load.
  const std::string low = "10% exp:3.8us";
  const std::string medium = "50% exp:600ns";
  for (const Row& row : {Row{seconds(7), {low, medium, "saturated 0"}},
                         Row{seconds(5), {medium, "saturated 0"}}, Row{seconds(3), {medium}}}) {
    const Plan plan = advice_plan(case_of(2, 1), row.budget, on_two_processors).value();
    EXPECT_EQ(loads_of(plan), row.loads) << to_text(row.budget);
  }
  const absl::Status none = advice_plan(case_of(2, 1), seconds(1), on_two_processors).status();
  EXPECT_THAT(std::string(none.message()), HasSubstr("--budget: 3 cells, 7 times each, take 2 s"));
  // The loads that the user named are measured, or the plan is refused.
  AdviceCase named = case_of(2, 1);
  named.loads = {parse_load("10%").value(), parse_load("50%").value()};
  EXPECT_THAT(std::string(advice_plan(named, seconds(3), on_two_processors).status().message()),
              HasSubstr("--budget: 6 cells"));
}

TEST(AdvicePlan, ACaseThatNeedsMoreThanTheUsualBudgetGetsIt) {
  const Nanoseconds too_short = seconds(1);
  const Plan plan =
      advice_plan(case_of(2, 1), too_short, on_two_processors, BudgetKind::kUsual).value();
  EXPECT_GT(time_of(plan), too_short);
}

TEST(AdvicePlan, AQuickPlanHasTheProcessorsOfItsMachine) {
  const auto on_64 = [](const Cell&) -> absl::StatusOr<CellTraits> {
    return CellTraits{.processors = 64};
  };
  AdviceCase wanted = case_of(8, 4, "1us");
  EXPECT_THAT(loads_of(quick_advice_plan(wanted, on_64, "quick", 5).value()),
              ElementsAre("10% exp:19us", "50% exp:3us", "saturated 0"));
  wanted.rate_per_s = 200'000;
  EXPECT_THAT(loads_of(quick_advice_plan(wanted, on_64, "quick", 5).value()),
              ElementsAre("5% exp:39us"));
  EXPECT_THAT(loads_of(quick_advice_plan(wanted, on_two_processors, "quick", 5).value()),
              ElementsAre("5% exp:9us"));
}

TEST(AdvicePlan, TheThinkTimeFollowsFromWhatTheUserKnows) {
  AdviceCase server = case_of(32, 5000, "3us");
  server.cell.key_distribution = parse_key_distribution("hot:0.01,0.9").value();
  server.rate_per_s = 64'000;
  AdviceCase every = server;
  every.rate_per_s.reset();
  every.every = std::chrono::microseconds(500);
  for (const AdviceCase& wanted : {server, every}) {
    const Plan plan = advice_plan(wanted, kUsualBudget, on_two_processors).value();
    EXPECT_THAT(loads_of(plan), ElementsAre("sleep:0.3456% sleep:exp:497us"));
    EXPECT_EQ(plan.trials.front().cell.sample_every, 1u);
    EXPECT_EQ(with_loads(wanted, on_two_processors)->cell.think, plan.trials.front().cell.think);
  }
  AdviceCase think = case_of(2, 1);
  think.think = parse_work("1us").value();
  EXPECT_THAT(loads_of(advice_plan(think, kUsualBudget, on_two_processors).value()),
              ElementsAre("saturated 1us"));
  AdviceCase saturated = case_of(2, 1);
  saturated.loads = {std::nullopt};
  EXPECT_THAT(loads_of(advice_plan(saturated, kUsualBudget, on_two_processors).value()),
              ElementsAre("saturated 0"));
}

TEST(AdvicePlan, WithoutAKnownLoadTheThreadsLockAgainAtOnce) {
  for (const char* const hold : {"0", "touch:8"}) {
    const Plan plan = advice_plan(case_of(2, 1, hold), kUsualBudget, on_two_processors).value();
    EXPECT_THAT(loads_of(plan), ElementsAre("saturated 0")) << hold;
  }
}

TEST(AdvicePlan, AnErrorNamesTheFlag) {
  struct Row {
    std::optional<std::uint64_t> rate_per_s;
    std::optional<Nanoseconds> every;
    std::string hold;
    std::string said;
  };
  for (const Row& row :
       {Row{400'000, {}, "3us", "--rate: 400000 operations per second are more than any lock"},
        Row{1'000, {}, "0", "--rate: wants a hold with a duration"},
        Row{{}, Nanoseconds(100), "200ns", "--every: "}}) {
    AdviceCase wanted = case_of(2, 1, row.hold);
    wanted.rate_per_s = row.rate_per_s;
    wanted.every = row.every;
    const absl::Status status = with_loads(wanted, on_two_processors).status();
    EXPECT_THAT(std::string(status.message()), testing::StartsWith(row.said));
  }
  AdviceCase wanted = case_of(2, 1000);
  wanted.loads = {parse_load("50%").value()};
  EXPECT_THAT(std::string(with_loads(wanted, on_two_processors).status().message()),
              testing::StartsWith("--load: 50% is more than 2 threads on 2 processors"));
}

AdviceCase on_cores(const std::string& cores) {
  AdviceCase wanted = case_of(2, 1);
  run_on(parse_cores(cores).value(), wanted);
  return wanted;
}

TEST(AdvicePlan, RunsAllThreadsOnTheCoresThatTheCaseNames) {
  for (const auto& [cores, pinning] :
       {std::pair<std::string, std::string>{"all", "none"}, {"fast", "kind:fast"}}) {
    const Plan plan = advice_plan(on_cores(cores), kUsualBudget, on_two_processors).value();
    for (const Trial& trial : plan.trials) EXPECT_EQ(trial.cell.pinning, pinning);
  }
  EXPECT_THAT(case_json(on_cores("fast")), HasSubstr("on fast cores"));
  EXPECT_THAT(case_json(on_cores("all")), testing::Not(HasSubstr("cores")));
}

TEST(AdvicePlan, NamesNoCoresThatTheMachineDoesNotHave) {
  const auto wrong = parse_cores("big");
  EXPECT_THAT(std::string(wrong.status().message()), HasSubstr("write all, fast or slow"));
  EXPECT_FALSE(parse_cores("").ok());
  EXPECT_FALSE(parse_cores("slow ones").ok());
  EXPECT_TRUE(check_cores(on_cores("all"), {}, "this machine").ok());
  EXPECT_TRUE(check_cores(on_cores("slow"), {"fast", "slow"}, "this machine").ok());
  const absl::Status one = check_cores(on_cores("fast"), {}, "this machine");
  EXPECT_THAT(std::string(one.message()),
              HasSubstr("--cores fast: the usable cores of this machine are of one kind"));
  const absl::Status other = check_cores(on_cores("middle2"), {"fast", "slow"}, "m1");
  EXPECT_THAT(std::string(other.message()), HasSubstr("cores of m1 are fast and slow"));
}

TEST(AdvicePlan, ComputesLoadsForTheProcessorsOfTheKindThatItNames) {
  std::vector<Processor> processors;
  for (int number = 0; number < 6; ++number) {
    const bool fast = number < 4;
    processors.push_back({.number = number,
                          .core = fast ? number / 2 : number,
                          .rank = fast ? 0 : 1,
                          .kind = fast ? "fast" : "slow"});
  }
  const auto with = [&](const std::string& pinning) {
    CellTraits traits{.processors = 6};
    limit_to_kinds({.threads = 1, .pinning = pinning}, processors, traits);
    return traits.processors;
  };
  EXPECT_EQ(with("kind:fast"), 4u);
  EXPECT_EQ(with("kind:slow"), 2u);
  EXPECT_EQ(with("mixed:1+2"), 3u);
  for (const char* const all : {"none", "scatter", "kind:middle"}) EXPECT_EQ(with(all), 6u) << all;
}

}  // namespace
}  // namespace lockbench
