// SPDX-License-Identifier: Apache-2.0

#include "harness/command/stress/stress_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<EngineListing> two_engines() {
  return {{"sim", "/bin/sim", {{.name = "global"}, {.name = "keyed"}}},
          {"real", "/bin/real", {{.name = "keyed"}, {.name = "keyed_tbb"}, {.name = "striped"}}}};
}

stress::Report convicted_by(stress::Oracle oracle) {
  return {.verdict = stress::Verdict::kConvicted, .finding = stress::Finding{oracle, "what"}};
}

TEST(EngineListing, IsReadALineASuspect) {
  const std::vector<Listed> listed =
      listed_from("spin\ta lock\t\t\nbroken\ta fault\texclusion,model\t\nodd\tx\t\tno way\n");
  ASSERT_EQ(listed.size(), 3U);
  EXPECT_EQ(listed[0].name, "spin");
  EXPECT_THAT(listed[0].convicted_by, IsEmpty());
  EXPECT_THAT(listed[1].convicted_by, ElementsAre("exclusion", "model"));
  EXPECT_EQ(listed[2].unseen, "no way");
}

TEST(StressPlan, DividesTheBudgetAmongEnginesThenAmongTheirSuspects) {
  const auto charges = plan_stress({.budget = std::chrono::seconds(60)}, two_engines());
  ASSERT_TRUE(charges.ok()) << charges.status();
  ASSERT_EQ(charges->size(), 5U);
  EXPECT_EQ((*charges)[0].budget, std::chrono::seconds(15));
  EXPECT_EQ((*charges)[4].budget, std::chrono::seconds(10));
  std::chrono::nanoseconds sum{};
  for (const Charge& charge : *charges) sum += charge.budget;
  EXPECT_EQ(sum, std::chrono::seconds(60));
}

TEST(StressPlan, AsksOnlyEnginesThatKnowTheLock) {
  const auto charges = plan_stress({.suspects = {"global"}}, two_engines());
  ASSERT_TRUE(charges.ok()) << charges.status();
  ASSERT_EQ(charges->size(), 1U);
  EXPECT_EQ(charges->front().engine, "sim");
  EXPECT_EQ(charges->front().budget, std::chrono::seconds(60));
}

TEST(StressPlan, NamesTheNearestLockWhenOneIsUnknown) {
  const auto charges = plan_stress({.suspects = {"keyd"}}, two_engines());
  ASSERT_EQ(charges.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(charges.status().message()), HasSubstr("did you mean 'keyed'"));
}

TEST(StressPlan, RefusesAnEngineThatDoesNotKnowTheLock) {
  const auto charges = plan_stress({.suspects = {"global"}, .engines = {"real"}}, two_engines());
  EXPECT_EQ(charges.status().code(), absl::StatusCode::kInvalidArgument);
}

std::vector<EngineListing> broken_ones() {
  return {{"sim", "/bin/sim-mutants", {{.name = "spin"}, {.name = "keyed"}, {.name = "futex"}}}};
}

TEST(StressPlan, TakesBrokenLocksOnlyByName) {
  EXPECT_EQ(with_named(two_engines(), broken_ones(), {}).size(), 2U);
  const std::vector<EngineListing> all = with_named(two_engines(), broken_ones(), {"futex"});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[2].program, "/bin/sim-mutants");
  ASSERT_EQ(all[2].suspects.size(), 1U);
  EXPECT_EQ(all[2].suspects[0].name, "futex");
}

TEST(StressPlan, AShippedLockGoesBeforeABrokenOneOfItsName) {
  EXPECT_EQ(with_named(two_engines(), broken_ones(), {"keyed"}).size(), 2U);
}

TEST(StressPlan, WhatOneLeavesOverIsTheOthers) {
  using std::chrono::seconds;
  std::vector<Charge> charges(3);
  charges[0].budget = seconds(10);
  charges[1].budget = seconds(20);
  charges[2].budget = seconds(10);
  EXPECT_EQ(budget_now(charges, 0, seconds(40)), seconds(10));
  EXPECT_EQ(budget_now(charges, 1, seconds(39)), seconds(26));
  EXPECT_EQ(budget_now(charges, 2, seconds(7)), seconds(7));
}

TEST(StressPlan, ATenthOfTheBudgetIsForKnownBrokenLocks) {
  using std::chrono::seconds;
  EXPECT_EQ(self_test_share({.budget = seconds(60)}), seconds(6));
  EXPECT_EQ(self_test_share({.budget = seconds(2)}), seconds(0));
  EXPECT_EQ(self_test_share({.budget = seconds(60), .order = {.client = "L0 U"}}), seconds(0));
}

TEST(SelfTestPlan, AnotherRoundMustFitTheBudget) {
  using std::chrono::seconds;
  EXPECT_TRUE(has_time_for_another_round(seconds(20), 2, seconds(30)));
  EXPECT_FALSE(has_time_for_another_round(seconds(20), 2, seconds(29)));
}

TEST(SelfTestPlan, TakesEveryBrokenLockAndEveryControl) {
  const auto charges = plan_self_test({}, two_engines());
  ASSERT_TRUE(charges.ok()) << charges.status();
  EXPECT_EQ(charges->size(), 5U);
}

TEST(Kill, MustBeByAnOracleThatWasExpected) {
  const Listed broken{.name = "broken", .convicted_by = {"exclusion"}};
  EXPECT_EQ(judge_kill(broken, convicted_by(stress::Oracle::kExclusion)), Kill::kAsExpected);
  EXPECT_EQ(judge_kill(broken, convicted_by(stress::Oracle::kProgress)), Kill::kWrongOracle);
  EXPECT_EQ(judge_kill(broken, {}), Kill::kMissed);
  EXPECT_FALSE(passes(Kill::kWrongOracle));
  EXPECT_FALSE(passes(Kill::kMissed));
}

TEST(Kill, ByUnfairnessIsForThoseWhoseFaultItIs) {
  stress::Report unfair = convicted_by(stress::Oracle::kFairness);
  unfair.verdict = stress::Verdict::kFairness;
  EXPECT_EQ(judge_kill({.name = "barging", .convicted_by = {"fairness"}}, unfair),
            Kill::kAsExpected);
  EXPECT_EQ(judge_kill({.name = "control"}, unfair), Kill::kAcquitted);
  EXPECT_EQ(judge_kill({.name = "broken", .convicted_by = {"exclusion"}}, unfair), Kill::kMissed);
}

TEST(Kill, OfAControlIsAFalseConviction) {
  const Listed control{.name = "control"};
  EXPECT_EQ(judge_kill(control, convicted_by(stress::Oracle::kExclusion)), Kill::kFalseConviction);
  EXPECT_EQ(judge_kill(control, {}), Kill::kAcquitted);
  EXPECT_FALSE(passes(Kill::kFalseConviction));
}

TEST(Kill, OfWhatTheEngineCannotSeeIsNotAskedFor) {
  const Listed unseen{.name = "unseen", .unseen = "x86 forgives it"};
  EXPECT_EQ(judge_kill(unseen, {}), Kill::kUnseen);
  EXPECT_TRUE(passes(Kill::kUnseen));
}

}  // namespace
}  // namespace lockbench
