// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/report.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/stress/oracles/unvaried.h"

namespace lockbench::stress {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(OrderJson, ComesBackAsItWent) {
  const Order order{.lock = "keyed",
                    .budget = std::chrono::milliseconds(1500),
                    .seed = 42,
                    .program = "L0 U | T0 U",
                    .schedule = "1*2.f1",
                    .memory = "c11",
                    .exhaustive = true,
                    .preemptions = 2,
                    .mode = "one_core",
                    .faults = "cut,delay",
                    .ignore_tokens = true,
                    .network = "namespaces",
                    .threads = 8};
  const Order read = order_from_json(to_json(order)).value();
  EXPECT_EQ(to_json(read), to_json(order));
  EXPECT_EQ(read.budget, order.budget);
}

TEST(OrderJson, NamesTheMemberThatIsMissing) {
  const absl::StatusOr<Order> read = order_from_json(R"({"lock":"keyed"})");
  ASSERT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(read.status().message()), HasSubstr("budget_ns"));
}

TEST(OrderJson, RefusesWhatIsNoJson) {
  EXPECT_EQ(order_from_json("keyed").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ReportJson, ComesBackAsItWent) {
  Report report{.engine = "real",
                .lock = "spin",
                .verdict = Verdict::kFailed,
                .failure = Failure{Oracle::kExclusion, "two \"inside\"\n"},
                .how = "yields",
                .found_after_s = 0.25,
                .replay = {.options = {"--seed", "3"}, .reruns = 10, .failures = 7},
                .trace = {"thread 0 has key 0"},
                .figures = {{"epochs", 12}},
                .explored = {{.program = "L0 U | L0 U",
                              .bound = "under tso with at most 2 preemptions",
                              .whole = false,
                              .executions = 5,
                              .states = 7,
                              .seconds = 0.5}},
                .remarks = {"a remark"},
                .seconds = 1.5};
  report.evaluations.count(Oracle::kExclusion);
  report.evaluations.count(Promise::kReadersOrder, 3);
  const Report read = report_from_json(to_json(report)).value();
  EXPECT_EQ(to_json(read), to_json(report));
  EXPECT_EQ(read.failure->oracle, Oracle::kExclusion);
  EXPECT_EQ(read.evaluations[Oracle::kExclusion], 1U);
  EXPECT_THAT(to_json(read), HasSubstr(R"("promises":{"readers_order":3})"));
  EXPECT_THAT(read.figures, ElementsAre(Pair("epochs", 12)));
  ASSERT_EQ(read.explored.size(), 1U);
  EXPECT_EQ(read.explored[0].program, "L0 U | L0 U");
  EXPECT_FALSE(read.explored[0].whole);
}

TEST(ReportJson, RefusesAnOracleThatThereIsNot) {
  const absl::StatusOr<Report> read =
      report_from_json(R"({"engine":"sim","lock":"x","verdict":"clean","evaluations":{"guess":1},)"
                       R"("figures":{},"remarks":[],"seconds":0})");
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(std::string(read.status().message()), HasSubstr("`guess` is no oracle"));
}

TEST(CleanVerdict, NeedsEveryOracleThatTheLockCallsFor) {
  Evaluations evaluations;
  evaluations.count(Oracle::kExclusion);
  EXPECT_EQ(clean_or_inconclusive(evaluations, {Oracle::kExclusion}), Verdict::kClean);
  EXPECT_EQ(clean_or_inconclusive(evaluations, {Oracle::kExclusion, Oracle::kLease}),
            Verdict::kInconclusive);
}

TEST(UnvariedRemark, NamesWhatTheLockHasAlone) {
  const auto says = [](const EngineTraits& engine, const Abilities& abilities, const char* what) {
    return unvaried_remark(engine, abilities).find(what) != std::string::npos;
  };
  EXPECT_TRUE(says(kSimEngine, {.timed = true}, "; a wall clock that is set"));
  EXPECT_FALSE(says(kSimEngine, {}, "a wall clock that is set"));
  EXPECT_TRUE(says(kRealEngine, {}, "not varied: holds of more than 30 ms; "));
  EXPECT_FALSE(says(kSimEngine, {}, "holds of more than 30 ms"));
  const Abilities many{.fair = true, .capacity = 66};
  EXPECT_TRUE(says(kSimEngine, many, "the order of arrival, for which programs have too few"));
  EXPECT_TRUE(says(kRealEngine, many, "the order of arrival at a key of more than 65 holders"));
  EXPECT_FALSE(says(kSimEngine, {.fair = true, .capacity = 10}, "the order of arrival"));
}

}  // namespace
}  // namespace lockbench::stress
