#include "harness/command/stress_plan.h"

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
