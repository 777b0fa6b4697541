// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/plan/json.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/bench/plan/describe.h"
#include "harness/bench/plan/expand.h"
#include "harness/bench/plan/spelling.h"
#include "tests/plan/matchers.h"

namespace lockbench {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kGolden =
    R"({"number":3,"block":1,"position":2,"seed":18446744073709551615,)"
    R"("cell":{"primitive":"striped:lock=std,stripes=64","workload":"nested:mixed_lock_unlock",)"
    R"("mode":"timed","threads":8,"keys":64,"key_type":"string","key_distribution":"zipf:0.7",)"
    R"("hold":"200ns","think":"sleep:1.5ms","pinning":"0,2","timeout":"5ms","warmup":"20ms",)"
    R"("window":"100ms","operations":0,"rate":0,"arrivals":"poisson","watch":"none","sample_every":64,"stall_limit":"2s","time_limit":"10s"}})";

Trial golden_trial() {
  Trial trial{.number = 3, .block = 1, .position = 2, .seed = UINT64_MAX, .cell = {}};
  trial.cell.primitive = {"striped", {{"lock", "std"}, {"stripes", "64"}}};
  trial.cell.workload = {"nested", "mixed_lock_unlock"};
  trial.cell.threads = 8;
  trial.cell.keys = 64;
  trial.cell.key_type = KeyType::kString;
  trial.cell.key_distribution = {.kind = KeyDistribution::Kind::kZipf, .theta = 0.7, .counts = {}};
  trial.cell.hold = {.kind = Work::Kind::kSpin, .duration = Nanoseconds{200}};
  trial.cell.think = {.kind = Work::Kind::kSleep, .duration = Nanoseconds{1'500'000}};
  trial.cell.pinning = "0,2";
  trial.cell.timeout = std::chrono::milliseconds(5);
  trial.cell.warmup = std::chrono::milliseconds(20);
  trial.cell.window = std::chrono::milliseconds(100);
  trial.cell.stall_limit = std::chrono::seconds(2);
  trial.cell.time_limit = std::chrono::seconds(10);
  return trial;
}

// The golden text with one part of it replaced.
std::string changed(std::string_view from, std::string_view to) {
  std::string text(kGolden);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& json) {
  return message_of(trial_from_json(json));
}

TEST(TrialJson, IsOneLineOfUsersWords) {
  EXPECT_EQ(to_json(golden_trial()), kGolden);
}

TEST(TrialJson, ReadsBackWithoutLoss) {
  EXPECT_EQ(trial_from_json(kGolden).value(), golden_trial());
}

TEST(PlanJson, ReadsBackWithoutLossATrialALine) {
  Sweep sweep = counter_sweep();
  sweep.threads = {1, 2, 3};
  sweep.holds = {parse_work("touch:8").value(), parse_work("sleep:1ms").value()};
  sweep.write_shares = {std::nullopt, 0.0, 0.07};
  Sweep fixed = counter_sweep();
  fixed.mode = Mode::kFixed;
  fixed.threads = {3};
  fixed.key_distributions = {parse_key_distribution("assigned:1,2").value()};
  Preset preset = preset_of({sweep, fixed});
  preset.target = "i7-1165G7";
  preset.seed = UINT64_MAX;
  const Plan plan = expand(preset, accept_all).value();
  const std::string json = to_json(plan);
  EXPECT_EQ(internal::plan_from(nlohmann::json::parse(json), "plan").value(), plan);
  EXPECT_EQ(static_cast<std::size_t>(std::count(json.begin(), json.end(), '\n')),
            plan.trials.size());
}

TEST(TrialJson, AMissingFieldIsNamed) {
  EXPECT_EQ(error_of(changed(R"("threads":8,)", "")), "trial.cell.threads: is missing");
  EXPECT_EQ(error_of("{}"), "trial.number: is missing");
}

TEST(TrialJson, AnUnknownFieldGetsTheNearestRightOne) {
  EXPECT_EQ(error_of(changed(R"("threads":8)", R"("threads":8,"kes":1)")),
            "trial.cell: unknown field 'kes'; did you mean 'keys'?");
}

TEST(TrialJson, AWrongValueIsToldWithItsField) {
  for (const std::string wrong : {R"("8")", "-8", "8.5", "4294967297"}) {
    EXPECT_EQ(error_of(changed(R"("threads":8)", R"("threads":)" + wrong)),
              std::string("trial.cell.threads: expected a whole number from 0 to 2^32-1, found ") +
                  (wrong == R"("8")" ? "string" : "number"));
  }
  EXPECT_EQ(error_of(changed(R"("hold":"200ns")", R"("hold":200)")),
            "trial.cell.hold: expected text, found number");
  EXPECT_THAT(error_of(changed(R"("hold":"200ns")", R"("hold":"200")")),
              StartsWith("trial.cell.hold: '200' has no unit"));
  EXPECT_EQ(error_of(changed(R"("threads":8)", R"("threads":0)")),
            "trial.cell.threads: 0 is out of range: 1 to 4096");
  EXPECT_EQ(error_of(changed(R"("threads":8)", R"("threads":8,"writes":1.5)")),
            "trial.cell.writes: 1.5 is no share; it is from 0 to 1");
  EXPECT_EQ(error_of(changed(R"("cell":{)", R"("cell":5,"x":{)")),
            "trial.cell: expected an object");
  EXPECT_THAT(error_of(changed(R"("number":3)", R"("number":3,"x":3)")),
              HasSubstr("trial: unknown field 'x'"));
}

TEST(TrialJson, WhatIsNoJsonIsRefused) {
  EXPECT_EQ(error_of("{\"number\":"), "trial: not JSON at byte 11 of 10: cut off or not ours");
  EXPECT_EQ(error_of(""), "trial: not JSON at byte 1 of 0: cut off or not ours");
  EXPECT_EQ(error_of("\"\xff\""), "trial: not JSON at byte 2 of 3: cut off or not ours");
  EXPECT_EQ(error_of("{\"number\":1e999}"), "trial: a number is beyond what 64 bits hold");
  EXPECT_EQ(error_of("[]"), "trial: expected an object");
}

TEST(Describe, SaysWhatIsUnusual) {
  Cell cell;
  cell.primitive = {"keyed", {}};
  cell.workload = {"counter", {}};
  EXPECT_EQ(describe(cell), "keyed, counter, 1 thread, 1 key");
  EXPECT_EQ(describe(golden_trial().cell),
            "striped:lock=std,stripes=64, nested:mixed_lock_unlock, 8 threads, 64 keys, string, "
            "zipf:0.7, hold 200ns, think sleep:1.5ms, timeout 5ms, pinning 0,2");
  Cell reads = golden_trial().cell;
  reads.write_share = 0.07;
  EXPECT_THAT(describe(reads), HasSubstr(", 7% writes, "));
  EXPECT_THAT(describe(golden_trial(), std::chrono::milliseconds(120)), HasSubstr("block 1"));
  EXPECT_THAT(describe(golden_trial(), std::chrono::milliseconds(120)), HasSubstr("120ms"));
}

TEST(PlanDifference, NamesTheFirstMemberThatDiffers) {
  Plan plan{.preset = "quick", .seed = 1, .blocks = 1, .trials = {golden_trial()}};
  EXPECT_EQ(plan_difference(plan, plan), "");
  Plan other = plan;
  other.seed = 2;
  EXPECT_EQ(plan_difference(plan, other), "seed 1 and 2");
  other = plan;
  other.trials.push_back(golden_trial());
  EXPECT_EQ(plan_difference(plan, other), "1 and 2 trials");
  other = plan;
  other.trials[0].cell.threads = 9;
  EXPECT_EQ(plan_difference(plan, other), "trial 0: threads 8 and 9");
}

}  // namespace
}  // namespace lockbench
