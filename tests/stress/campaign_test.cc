// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/campaign.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockbench::stress {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

// An engine of which each answer is chosen.
struct ToldEpochs final : Epochs {
  absl::Status search(Clock::time_point) override { return found; }
  absl::StatusOr<std::optional<bool>> repeat() override {
    const auto answer = repeats.front();
    repeats.erase(repeats.begin());
    return answer;
  }
  std::optional<Oracle> oracle_of_repetition() const override { return repeated; }
  std::unique_ptr<Epochs> as_command() const override {
    if (!command_fails) return nullptr;
    auto command = std::make_unique<ToldEpochs>();
    if (*command_fails) command->fault = fault;
    return command;
  }
  std::vector<Clean> clean() const override { return counts; }
  std::optional<Failure> failure() const override { return fault; }
  void report_work(Report& report) const override { report.evaluations = evaluations; }
  void report_failure(Report& report) const override {
    report.how = "yields";
    report.replay.options.emplace_back("--mode");
  }
  void report_clean(Report& report) const override { report.remarks.emplace_back("all is well"); }

  absl::Status found;
  std::vector<Clean> counts = {{"plain", 3}, {"yields", 2}, {"signals", 0}};
  std::optional<Failure> fault;
  Evaluations evaluations;
  std::vector<absl::StatusOr<std::optional<bool>>> repeats;
  std::optional<Oracle> repeated;
  std::optional<bool> command_fails;  // absent: it does no more than a repetition
};

absl::StatusOr<Report> report_of(ToldEpochs& epochs, const Order& order = {}) {
  const RegisteredLock lock{.name = "lock", .summary = "", .make = {}};
  return run_campaign(epochs, lock, order, {.engine = kProcEngine}, [](const std::string&) {});
}

const Failure kFault{Oracle::kExclusion, "two at once"};

TEST(Campaign, IsCleanWithItsConfidenceIfEachOracleWasEvaluated) {
  ToldEpochs epochs;
  for (const Oracle oracle : needed_oracles(kProcEngine, {})) epochs.evaluations.count(oracle);
  const Report report = report_of(epochs).value();
  EXPECT_EQ(report.engine, "proc");
  EXPECT_EQ(report.lock, "lock");
  EXPECT_EQ(report.verdict, Verdict::kClean);
  EXPECT_THAT(report.figures, Contains(Pair("epochs", 5)));
  EXPECT_THAT(report.remarks,
              ElementsAre("5 clean epochs (plain 3, yields 2)",
                          HasSubstr("less than 60 % of such epochs fail"), "all is well"));
}

TEST(Campaign, IsInconclusiveIfAnOracleHadNothingToSeeAndSaysWhich) {
  ToldEpochs epochs;
  for (const Oracle oracle : needed_oracles(kProcEngine, {})) {
    if (oracle != Oracle::kProgress) epochs.evaluations.count(oracle);
  }
  const Report report = report_of(epochs).value();
  EXPECT_EQ(report.verdict, Verdict::kInconclusive);
  EXPECT_THAT(report.remarks, Contains(HasSubstr("a clean verdict needs them: progress")));
}

TEST(Campaign, NamesTheOtherOraclesThatFailedReruns) {
  ToldEpochs epochs;
  epochs.fault = kFault;
  epochs.repeats = {true, true};
  epochs.repeated = Oracle::kModel;
  EXPECT_THAT(report_of(epochs, {.reruns = 2}).value().remarks,
              Contains(HasSubstr("in reruns: model in 2")));
  epochs.repeats = {true, true};
  epochs.repeated = kFault.oracle;
  EXPECT_THAT(report_of(epochs, {.reruns = 2}).value().remarks,
              Not(Contains(HasSubstr("in reruns"))));
}

TEST(Campaign, RepeatsTheEpochThatFailed) {
  ToldEpochs epochs;
  epochs.fault = kFault;
  epochs.repeats = {true, false, true};
  const Report report =
      report_of(epochs, {.program = "L0 U | L0 U", .threads = 7, .reruns = 3}).value();
  EXPECT_EQ(report.verdict, Verdict::kFailed);
  EXPECT_EQ(report.failure->what, "two at once");
  EXPECT_EQ(report.how, "yields");
  EXPECT_EQ(report.replay.reruns, 3U);
  EXPECT_EQ(report.replay.failures, 2U);
  EXPECT_THAT(report.replay.options, ElementsAre("--engine", "proc", "--threads", "7", "--program",
                                                 "L0 U | L0 U", "--mode"));
  EXPECT_THAT(report.remarks, ElementsAre("5 clean epochs (plain 3, yields 2)"));
}

// The command of the report runs more epochs than the one that failed, so it may fail each time
// though that one never does again.
TEST(Campaign, RunsTheCommandWhereNoRepetitionOfTheEpochFails) {
  for (const bool fails : {true, false}) {
    ToldEpochs epochs;
    epochs.fault = kFault;
    epochs.repeats = {false, false};
    epochs.command_fails = fails;
    const Report report = report_of(epochs, {.reruns = 2}).value();
    EXPECT_EQ(report.replay.reruns, 2U);
    EXPECT_EQ(report.replay.failures, 0U);
    EXPECT_GT(report.replay.command_s, 0);
    EXPECT_EQ(report.replay.command_failed, fails);
  }
}

TEST(Campaign, DoesNotRunTheCommandWhereARepetitionFails) {
  ToldEpochs epochs;
  epochs.fault = kFault;
  epochs.repeats = {false, true};
  epochs.command_fails = true;
  EXPECT_EQ(report_of(epochs, {.reruns = 2}).value().replay.command_s, 0);
}

TEST(Campaign, DoesNotCountARepetitionThatWasEnded) {
  ToldEpochs epochs;
  epochs.fault = kFault;
  epochs.repeats = {true, std::optional<bool>(), true};
  const Report report = report_of(epochs).value();
  EXPECT_EQ(report.replay.reruns, 1U);
  EXPECT_EQ(report.replay.failures, 1U);
}

TEST(Campaign, DoesNotRepeatWhenTheBudgetIsOver) {
  ToldEpochs epochs;
  epochs.fault = kFault;
  const Report report = report_of(epochs, {.budget = std::chrono::nanoseconds(0)}).value();
  EXPECT_EQ(report.replay.reruns, 0U);
}

TEST(Campaign, PassesOnWhatPreventsIt) {
  ToldEpochs epochs;
  epochs.found = absl::InternalError("no server");
  EXPECT_EQ(report_of(epochs).status(), epochs.found);
  epochs.found = absl::OkStatus();
  epochs.fault = kFault;
  epochs.repeats = {absl::InternalError("the server has gone")};
  EXPECT_EQ(report_of(epochs).status().message(), "the server has gone");
}

TEST(ConfidenceRemark, SaysNothingAboutTheRestAfterThreeEpochs) {
  EXPECT_EQ(confidence_remark(1), "1 clean epoch: too few to say how many of such epochs fail");
  EXPECT_THAT(confidence_remark(3), HasSubstr("too few"));
  EXPECT_THAT(confidence_remark(4), HasSubstr("less than 75 %"));
  EXPECT_THAT(confidence_remark(300), HasSubstr("less than 1 %"));
}

struct Named {
  std::string_view name;
};

TEST(ModeNamed, FindsEachAndListsAllToWhoeverAsksForAnother) {
  constexpr Named kModes[] = {{"plain"}, {"yields"}};
  const std::span<const Named> modes(kModes);
  EXPECT_EQ(mode_named(modes, kRealEngine, "plain").value(), 0U);
  EXPECT_EQ(mode_named(modes, kRealEngine, "yields").value(), 1U);
  EXPECT_EQ(std::string(mode_named(modes, kRealEngine, "fast").status().message()),
            "`fast` is no mode of the real engine; say one of plain, yields");
}

}  // namespace
}  // namespace lockbench::stress
