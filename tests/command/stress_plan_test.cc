// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/stress/command/plan.h"

namespace lockbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<EngineListing> two_engines() {
  return {{"sim", "/bin/sim", {{.name = "global"}, {.name = "keyed"}}},
          {"real", "/bin/real", {{.name = "keyed"}, {.name = "keyed_tbb"}, {.name = "striped"}}}};
}

stress::Report expected_oracles(stress::Oracle oracle) {
  return {.verdict = stress::Verdict::kFailed, .failure = stress::Failure{oracle, "what"}};
}

TEST(EngineListing, IsReadALineALock) {
  const std::vector<Listed> listed = listed_from(
      "spin\ta lock\t\t\t\nbroken\ta fault\texclusion,model\t\t\nodd\tx\t\tno way\t\n"
      "mine\ta lease\t\t\tnumbers\n");
  ASSERT_EQ(listed.size(), 4U);
  EXPECT_EQ(listed[0].name, "spin");
  EXPECT_THAT(listed[0].expected_oracles, IsEmpty());
  EXPECT_THAT(listed[1].expected_oracles, ElementsAre("exclusion", "model"));
  EXPECT_EQ(listed[2].unseen, "no way");
  EXPECT_FALSE(listed[2].takes_numbers);
  EXPECT_TRUE(listed[3].takes_numbers);
}

TEST(StressPlan, DividesTheBudgetAmongEnginesThenAmongTheirLocks) {
  const auto jobs = plan_stress({.budget = std::chrono::seconds(60)}, two_engines()).value();
  ASSERT_EQ(jobs.size(), 5U);
  EXPECT_EQ(jobs[0].budget, std::chrono::seconds(15));
  EXPECT_EQ(jobs[4].budget, std::chrono::seconds(10));
  std::chrono::nanoseconds sum{};
  for (const TestJob& job : jobs) sum += job.budget;
  EXPECT_EQ(sum, std::chrono::seconds(60));
}

TEST(StressPlan, GivesTheFormWithSeveralObjectsALesserPart) {
  const std::vector<EngineListing> engine = {
      {"sim", "/bin/sim", {{.name = "mine"}, {.name = "mine:objects=several"}}}};
  const auto jobs = plan_stress({.budget = std::chrono::seconds(60)}, engine).value();
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[0].budget, std::chrono::seconds(45));
  EXPECT_EQ(jobs[1].budget, std::chrono::seconds(15));
}

TEST(StressPlan, AsksOnlyEnginesThatKnowTheLock) {
  const auto jobs = plan_stress({.locks = {"global"}}, two_engines()).value();
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs.front().engine, "sim");
  EXPECT_EQ(jobs.front().budget, std::chrono::seconds(60));
}

TEST(StressPlan, NamesTheNearestLockWhenOneIsUnknown) {
  const auto jobs = plan_stress({.locks = {"keyd"}}, two_engines());
  ASSERT_EQ(jobs.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(jobs.status().message()), HasSubstr("did you mean 'keyed'"));
}

std::vector<EngineListing> with_a_service() {
  std::vector<EngineListing> engines = two_engines();
  engines.push_back({"services",
                     "/bin/services",
                     {{.name = "mine", .takes_numbers = true},
                      {.name = "advisory:level=session", .takes_numbers = true}}});
  engines.push_back({"real", "/bin/real", {{.name = "striped:lock=mcs"}}});
  return engines;
}

std::string refusal_of(const std::string& lock) {
  return std::string(plan_stress({.locks = {lock}}, with_a_service()).status().message());
}

TEST(StressPlan, TakesParametersOfALockThatHasThem) {
  const auto jobs =
      plan_stress({.locks = {"mine:lease_ms=300", "mine", "mine:lease_ms=300"}}, with_a_service())
          .value();
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[0].lock.name, "mine:lease_ms=300");
  EXPECT_EQ(jobs[1].lock.name, "mine");
}

TEST(StressPlan, TakesParametersOfALockWhoseNameHasOne) {
  const auto jobs =
      plan_stress({.locks = {"advisory:level=session,prepare=0"}}, with_a_service()).value();
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs[0].lock.name, "advisory:level=session,prepare=0");
}

TEST(StressPlan, SaysThatStressChoosesTheParametersOfOtherLocks) {
  EXPECT_EQ(refusal_of("keyed:shards=3"),
            "lock 'keyed:shards=3': stress chooses the parameters of keyed itself; say 'keyed'");
  EXPECT_EQ(refusal_of("striped:lock=x"),
            "lock 'striped:lock=x': stress chooses the parameters of striped itself; say "
            "'striped'");
  EXPECT_EQ(refusal_of("striped:lock=mc"),
            "unknown lock 'striped:lock=mc'; did you mean 'striped:lock=mcs'?");
  EXPECT_EQ(refusal_of("zzz:capacity=3"),
            "unknown lock 'zzz:capacity=3'; there are: global, keyed, keyed_tbb, striped, mine, "
            "advisory:level=session, striped:lock=mcs");
}

// An engine that a folder adds.
const AddedEngine kOther{
    .name = "other",
    .without_plugin = "other: load a plug-in",
    .flags = {{{"name", "--faults"}, {"type", "LIST"}, {"help", ""}, {"switch", false}}}};

TEST(StressPlan, SaysWhatAnAddedEngineNeeds) {
  const auto jobs = plan_stress({.engines = {"other"}, .added_engines = {kOther}}, two_engines());
  EXPECT_EQ(jobs.status().message(), "other: load a plug-in");
}

TEST(StressPlan, RefusesAnEngineThatDoesNotKnowTheLock) {
  const auto jobs = plan_stress({.locks = {"global"}, .engines = {"real"}}, two_engines());
  EXPECT_EQ(jobs.status().code(), absl::StatusCode::kInvalidArgument);
}

std::vector<EngineListing> broken_ones() {
  return {{"sim", "/bin/sim-mutants", {{.name = "spin"}, {.name = "keyed"}, {.name = "futex"}}}};
}

TEST(StressPlan, TakesBrokenLocksOnlyByName) {
  EXPECT_EQ(with_named(two_engines(), broken_ones(), {}).size(), 2U);
  const std::vector<EngineListing> all = with_named(two_engines(), broken_ones(), {"futex"});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[2].program, "/bin/sim-mutants");
  ASSERT_EQ(all[2].locks.size(), 1U);
  EXPECT_EQ(all[2].locks[0].name, "futex");
}

TEST(StressPlan, AShippedLockGoesBeforeABrokenOneOfItsName) {
  EXPECT_EQ(with_named(two_engines(), broken_ones(), {"keyed"}).size(), 2U);
}

TEST(StressPlan, WhatOneLeavesOverIsTheOthers) {
  using std::chrono::seconds;
  std::vector<TestJob> jobs(3);
  jobs[0].budget = seconds(10);
  jobs[1].budget = seconds(20);
  jobs[2].budget = seconds(10);
  EXPECT_EQ(budget_now(jobs, 0, seconds(40)), seconds(10));
  EXPECT_EQ(budget_now(jobs, 1, seconds(39)), seconds(26));
  EXPECT_EQ(budget_now(jobs, 2, seconds(7)), seconds(7));
  EXPECT_EQ(budget_if_exhaustive(jobs, 0, seconds(40)), seconds(20));
  EXPECT_EQ(budget_if_exhaustive(jobs, 2, seconds(7)), seconds(7));
}

TEST(StressPlan, NamesWhatElseThereIsOfTheLock) {
  const std::vector<EngineListing> engines = {
      {"sim",
       "/bin/sim",
       {{.name = "mine"},
        {.name = "mine:a=1"},
        {.name = "mine:a=2"},
        {.name = "mine2:a=1"},
        {.name = "global:lock=one"},
        {.name = "striped:lock=one"},
        {.name = "striped:lock=one_more"}}},
      {"real", "/bin/real", {{.name = "mine"}, {.name = "mine:a=3"}}}};
  const auto remarks_of = [&](const std::string& lock, const std::vector<std::string>& named,
                              stress::Verdict verdict = stress::Verdict::kClean) {
    stress::Report report{.verdict = verdict};
    report.lock = lock;
    report.engine = "sim";
    name_untested(engines, plan_stress({.locks = named}, engines).value(), report);
    return report.remarks;
  };
  EXPECT_THAT(remarks_of("mine", {"mine"}),
              ElementsAre("not tested, since not named: mine:a=1, mine:a=2 (--list)"));
  EXPECT_THAT(remarks_of("mine", {"mine", "mine:a=1"}),
              ElementsAre("not tested, since not named: mine:a=2 (--list)"));
  EXPECT_THAT(remarks_of("global:lock=one", {"global:lock=one"}),
              ElementsAre("not tested, since not named: striped:lock=one (--list)"));
  EXPECT_THAT(remarks_of("mine", {}), IsEmpty());
  EXPECT_THAT(remarks_of("mine:a=1", {"mine:a=1"}), IsEmpty());
  EXPECT_THAT(remarks_of("mine", {"mine"}, stress::Verdict::kFailed), IsEmpty());
}

TEST(StressPlan, ATenthOfTheBudgetIsForKnownBrokenLocks) {
  using std::chrono::seconds;
  EXPECT_EQ(self_test_share({.budget = seconds(60)}), seconds(6));
  EXPECT_EQ(self_test_share({.budget = seconds(2)}), seconds(0));
  EXPECT_EQ(self_test_share({.budget = seconds(60), .order = {.program = "L0 U"}}), seconds(0));
}

TEST(EnginesForOptions, AreThoseThatKnowThemAll) {
  StressOptions options{.added_engines = {kOther}};
  EXPECT_THAT(*engines_for(options), IsEmpty());
  options.order.program = "L0 U";
  EXPECT_THAT(*engines_for(options), ElementsAre("sim", "real"));
  options.order.mode = "stop";
  EXPECT_THAT(*engines_for(options), ElementsAre("real"));
  options.order.faults = "cut";
  EXPECT_FALSE(engines_for(options).ok());
}

TEST(EnginesForOptions, AreThoseThatWereNamedIfOneKnowsTheOption) {
  StressOptions options{.engines = {"sim", "proc"}, .added_engines = {kOther}};
  options.order.mode = "stop";
  EXPECT_THAT(*engines_for(options), ElementsAre("sim", "proc"));
  options.order.faults = "cut";
  const auto refused = engines_for(options);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("--faults is for the engine other: leave --engine out"));
}

TEST(SelfTestPlan, AnotherRoundMustFitTheBudget) {
  using std::chrono::seconds;
  EXPECT_TRUE(has_time_for_another_round(seconds(20), 2, seconds(30)));
  EXPECT_FALSE(has_time_for_another_round(seconds(20), 2, seconds(29)));
}

TEST(SelfTestPlan, TakesEveryBrokenLockAndEveryControl) {
  const auto jobs = plan_self_test({}, two_engines()).value();
  EXPECT_EQ(jobs.size(), 5U);
}

TEST(Kill, MustBeByAnOracleThatWasExpected) {
  const Listed broken{.name = "broken", .expected_oracles = {"exclusion"}};
  EXPECT_EQ(kill_result(broken, expected_oracles(stress::Oracle::kExclusion)), Kill::kAsExpected);
  EXPECT_EQ(kill_result(broken, expected_oracles(stress::Oracle::kProgress)), Kill::kWrongOracle);
  EXPECT_EQ(kill_result(broken, {}), Kill::kMissed);
  EXPECT_FALSE(passes(Kill::kWrongOracle));
  EXPECT_FALSE(passes(Kill::kMissed));
}

TEST(Kill, OfAControlIsAFalseFailure) {
  const Listed control{.name = "control"};
  EXPECT_EQ(kill_result(control, expected_oracles(stress::Oracle::kExclusion)),
            Kill::kFalseFailure);
  EXPECT_EQ(kill_result(control, {}), Kill::kPassed);
  EXPECT_FALSE(passes(Kill::kFalseFailure));
}

TEST(Kill, OfWhatTheEngineCannotSeeIsNotAskedFor) {
  const Listed unseen{.name = "unseen", .unseen = "x86 forgives it"};
  EXPECT_EQ(kill_result(unseen, {}), Kill::kUnseen);
  EXPECT_TRUE(passes(Kill::kUnseen));
}

}  // namespace
}  // namespace lockbench
