// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/report.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/stress/oracles/unchecked.h"
#include "harness/stress/oracles/unvaried.h"

namespace lockbench::stress {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

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

// The text that engines read: members in this order, on one line.
TEST(OrderJson, IsWrittenAsEver) {
  EXPECT_EQ(
      to_json(Order{.lock = "keyed", .budget = std::chrono::seconds(2), .faults = "cut"}),
      R"({"lock":"keyed","budget_ns":2000000000,"seed":1,"program":"","schedule":"","memory":"",)"
      R"("weaken":false,"exhaustive":false,"preemptions":3,"mode":"","faults":"cut",)"
      R"("ignore_tokens":false,"network":"","threads":4,"reruns":10,"net":""})");
}

std::string error_of_order(const nlohmann::json& order) {
  return std::string(order_from_json(order.dump()).status().message());
}

TEST(OrderJson, NamesTheMemberThatIsWrong) {
  const nlohmann::json right = nlohmann::json::parse(to_json(Order{.lock = "keyed"}));
  ASSERT_EQ(right.size(), 16U);
  for (const auto& [name, value] : right.items()) {
    nlohmann::json order = right;
    order.erase(name);
    EXPECT_EQ(error_of_order(order), "order." + name + ": is missing");
    order[name] = nlohmann::json::array();
    EXPECT_THAT(error_of_order(order), StartsWith("order." + name + ": expected "));
    if (!value.is_number()) continue;
    order[name] = -1;
    EXPECT_THAT(error_of_order(order), StartsWith("order." + name + ": expected a whole number"));
  }
  nlohmann::json order = right;
  order["thread"] = 4;
  EXPECT_THAT(error_of_order(order), HasSubstr("unknown field 'thread'; did you mean 'threads'?"));
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
                .figures = {{"epochs", 12}, {"acquisitions", 3.5}},
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
  // In the order in which an engine has them.
  EXPECT_THAT(read.figures, ElementsAre(Pair("epochs", 12), Pair("acquisitions", 3.5)));
  ASSERT_EQ(read.explored.size(), 1U);
  EXPECT_EQ(read.explored[0].program, "L0 U | L0 U");
  EXPECT_FALSE(read.explored[0].whole);
}

TEST(ReportJson, IsWrittenAsEver) {
  Report report{.engine = "sim", .lock = "spin", .remarks = {"a"}, .seconds = 1.5};
  EXPECT_EQ(to_json(report),
            R"({"engine":"sim","lock":"spin","verdict":"clean","evaluations":{},"promises":{},)"
            R"("figures":{},"remarks":["a"],"seconds":1.5})");
  report.verdict = Verdict::kFailed;
  report.failure = Failure{Oracle::kExclusion, "two"};
  report.how = "yields";
  report.replay = {.options = {"--seed", "3"}, .exact = true};
  report.trace = {"step 1"};
  report.steps = {{.at = 1, .thread = kMainThread, .text = "starts"},
                  {.at = 2,
                   .text = "changes lock",
                   .act = "changes",
                   .keys = {0, 3},
                   .source_line = "spin_lock.h:31",
                   .access = true,
                   .wrong = true,
                   .word = "lock",
                   .was = "0",
                   .now = "1",
                   .order = "acquire"}};
  report.machine = "a machine";
  report.command = "a command";
  const std::string text = to_json(report);
  EXPECT_EQ(text,
            R"({"engine":"sim","lock":"spin","verdict":"failed","oracle":"exclusion",)"
            R"("what":"two","how":"yields","found_after_s":0.0,"replay":{"options":["--seed","3"],)"
            R"("exact":true,"reruns":0,"failures":0,"command_s":0.0,"command_failed":false},)"
            R"("trace":["step 1"],"steps":[{"at":1,"thread":-1,"text":"starts"},)"
            R"({"at":2,"thread":0,"text":"changes lock","act":"changes","keys":[0,3],)"
            R"("place":"spin_lock.h:31","word":"lock","was":"0","now":"1","order":"acquire",)"
            R"("access":true,"wrong":true}],"evaluations":{},"promises":{},"figures":{},)"
            R"("remarks":["a"],"seconds":1.5,"machine":"a machine","command":"a command"})");
  const Report read = report_from_json(text).value();
  EXPECT_EQ(read.steps, report.steps);
  EXPECT_EQ(to_json(read), text);
}

TEST(ReportJson, NamesTheMemberThatIsWrong) {
  const auto error_of = [](const std::string& text) {
    return std::string(report_from_json(text).status().message());
  };
  const std::string head = R"({"engine":"sim","lock":"x","verdict":)";
  const std::string tail = R"("promises":{},"figures":{},"remarks":[],"seconds":0})";
  EXPECT_EQ(error_of(head + R"("clean","evaluations":{},)" + tail), "");
  EXPECT_THAT(error_of(head + R"("clean","evaluations":{"guess":1},)" + tail),
              StartsWith("report.evaluations: unknown field 'guess'; there are: exclusion"));
  EXPECT_THAT(error_of(head + R"("cleen","evaluations":{},)" + tail),
              HasSubstr("unknown verdict 'cleen'; did you mean 'clean'?"));
  EXPECT_THAT(error_of(head + R"("failed","oracle":"guess","evaluations":{},)" + tail),
              StartsWith("report.oracle: `guess` is no oracle"));
  EXPECT_THAT(error_of(head + R"("clean","how":"x","evaluations":{},)" + tail),
              StartsWith("report: unknown field 'how'"));
}

TEST(CleanVerdict, NeedsEveryOracleThatTheLockCallsFor) {
  Evaluations evaluations;
  evaluations.count(Oracle::kExclusion);
  EXPECT_EQ(clean_or_inconclusive(evaluations, {Oracle::kExclusion}), Verdict::kClean);
  EXPECT_EQ(clean_or_inconclusive(evaluations, {Oracle::kExclusion, Oracle::kLease}),
            Verdict::kInconclusive);
}

TEST(UncheckedRemark, NamesPromisesThatWereNotChecked) {
  const Abilities promising{
      {.lock_per_key = true, .timed = true, .fair = true, .strong_try = true, .bypass_limit = 3}};
  Evaluations evaluations;
  evaluations.count(Promise::kTimed);
  evaluations.count(Promise::kStrongTry);
  EXPECT_EQ(unchecked_remark(promising, evaluations),
            "promised, but never checked in this run: fair, lock_per_key, bypass_limit");
  for (const Promise promise : {Promise::kFair, Promise::kLockPerKey, Promise::kBypassLimit}) {
    evaluations.count(promise);
  }
  EXPECT_EQ(unchecked_remark(promising, evaluations), "");
  EXPECT_EQ(unchecked_remark({}, {}), "");
}

TEST(UnvariedRemark, NamesWhatTheLockHasAlone) {
  const auto says = [](const EngineTraits& engine, const Abilities& abilities, const char* what) {
    return unvaried_remark(engine, abilities).find(what) != std::string::npos;
  };
  EXPECT_TRUE(says(kSimEngine, {{.timed = true}}, "; a wall clock that is set"));
  EXPECT_FALSE(says(kSimEngine, {}, "a wall clock that is set"));
  EXPECT_TRUE(says(kSimEngine, {}, "; nested holds (reentrant is not promised)"));
  EXPECT_FALSE(says(kSimEngine, {{.reentrant = true}}, "nested holds"));
  EXPECT_TRUE(says(kRealEngine, {}, "; tries that fail though the lock is free (strong_try"));
  EXPECT_FALSE(says(kRealEngine, {{.strong_try = true}}, "strong_try"));
  EXPECT_FALSE(says(kSimEngine, {{.fair = true}}, "(fair is not promised)"));
  EXPECT_TRUE(says(kRealEngine, {}, "not varied: holds of more than 30 ms; "));
  EXPECT_FALSE(says(kSimEngine, {}, "holds of more than 30 ms"));
  const Abilities many{{.fair = true, .capacity = 66}};
  EXPECT_TRUE(says(kSimEngine, many, "the order of arrival, for which programs have too few"));
  EXPECT_TRUE(says(kRealEngine, many, "the order of arrival at a key of more than 65 holders"));
  EXPECT_FALSE(says(kSimEngine, {{.fair = true, .capacity = 10}}, "the order of arrival"));
}

}  // namespace
}  // namespace lockbench::stress
