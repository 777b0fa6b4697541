// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/micro/rows.h"

#include <csignal>
#include <filesystem>
#include <sys/resource.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/temporary_folder.h"

namespace lockbench {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

benchmark::BenchmarkReporter::Run repetition() {
  benchmark::BenchmarkReporter::Run run;
  run.iterations = 1000;
  run.real_accumulated_time = 2e-6;
  return run;
}

Row row_of(const char* workload, const BenchmarkResult& finding) {
  return {.trial = {.cell = micro_cell({.name = "p"}, {.name = workload})},
          .sample = micro_sample(repetition(), finding)};
}

TEST(MicroSample, HoldsWhatWasMeasured) {
  const Sample sample = micro_sample(repetition(), {.proof = Proof{}, .lock_bytes = 64});
  EXPECT_EQ(sample.operations, 1000u);
  EXPECT_EQ(sample.window_s, 2e-6);
  EXPECT_EQ(sample.lock_bytes, 64u);
  EXPECT_THAT(sample.reason, IsEmpty());
  EXPECT_TRUE(sample.valid());
}

TEST(MicroSample, AFigureWithoutItsProofIsNotTold) {
  const Sample sample = micro_sample(repetition(), {.proof = Proof{.lost_updates = 3}});
  EXPECT_EQ(sample.outcome, Outcome::kOk);
  EXPECT_EQ(sample.lost_updates, 3u);
  EXPECT_EQ(sample.operations, std::nullopt);
  EXPECT_THAT(sample.reason, HasSubstr("3 lost updates"));
}

TEST(MicroSample, WhatCannotBeMeasuredHereHasFailed) {
  const Sample sample = micro_sample(repetition(), {.failure = "needs two cores"});
  EXPECT_EQ(sample.outcome, Outcome::kFailed);
  EXPECT_EQ(sample.reason, "needs two cores");
  EXPECT_EQ(sample.window_s, std::nullopt);
}

TEST(MicroRow, ALimitHasNothingToProve) {
  EXPECT_TRUE(row_of("limit", {}).valid());
  EXPECT_FALSE(row_of("limit", {.failure = "needs two cores"}).valid());
}

TEST(MicroRow, ALockIsValidByItsProofAlone) {
  EXPECT_FALSE(row_of("uncontended", {}).valid());
  EXPECT_FALSE(row_of("base", {.proof = Proof{.violations = 1}}).valid());
  EXPECT_TRUE(row_of("base", {.proof = Proof{}}).valid());
}

// The number of runs that Google Benchmark would have shown.
class CountingReporter final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override { shown += runs.size(); }

  std::size_t shown = 0;
};

// As on a full disk: no file may grow beyond `bytes`.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::uintmax_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

class RowReporterTest : public testing::Test {
 protected:
  RowReporterTest() {
    suite_.add("a", micro_cell({.name = "a"}, {.name = "limit"}), nullptr);
    chosen_ = *suite_.matching("");
  }

  RunWriter writer() {
    Meta meta{.run = {.run_id = "r", .preset = kMicroPreset}, .plan = micro_plan(chosen_, 2)};
    return RunWriter::create(folder_.path() / "run", meta).value();
  }

  // A report of two repetitions, after three calls that sought the number of iterations.
  std::vector<benchmark::BenchmarkReporter::Run> report() {
    chosen_[0]->calls.assign(3, {.started_at = "early", .finding = {.failure = "early"}});
    std::vector<benchmark::BenchmarkReporter::Run> runs;
    for (int i = 0; i < 2; ++i) {
      chosen_[0]->calls.push_back({.started_at = "call " + std::to_string(i)});
      runs.push_back(repetition());
      runs.back().run_name.function_name = "a";
      runs.back().run_type = benchmark::BenchmarkReporter::Run::RT_Iteration;
      runs.back().repetition_index = i;
    }
    runs.push_back(runs.back());
    runs.back().run_type = benchmark::BenchmarkReporter::Run::RT_Aggregate;
    return runs;
  }

  std::filesystem::path trials() const { return folder_.path() / "run" / "trials.csv"; }

  TemporaryFolder folder_;
  Suite suite_;
  std::vector<MicroBenchmark*> chosen_;
  CountingReporter shown_;
};

TEST_F(RowReporterTest, TheLastCallsAreTheRepetitions) {
  RunWriter run = writer();
  RowReporter reporter(shown_, chosen_, run);
  reporter.ReportRuns(report());
  EXPECT_TRUE(reporter.status().ok());
  EXPECT_EQ(run.meta().end.trials_done, 2u);
  EXPECT_THAT(text_of(trials()), AllOf(HasSubstr("call 0"), HasSubstr("call 1")));
  EXPECT_THAT(text_of(trials()), Not(HasSubstr("early")));
  EXPECT_EQ(shown_.shown, 3u);
}

TEST_F(RowReporterTest, AfterARowThatCouldNotBeWrittenNoneIsTried) {
  RunWriter run = writer();
  RowReporter reporter(shown_, chosen_, run);
  {
    const FileSizeLimit full(std::filesystem::file_size(trials()));
    reporter.ReportRuns(report());
  }
  EXPECT_THAT(std::string(reporter.status().message()), HasSubstr("trials.csv"));
  reporter.ReportRuns(report());
  EXPECT_EQ(run.meta().end.trials_done, 0u);
  EXPECT_EQ(shown_.shown, 6u);
}

TEST(MicroPlan, EachBenchmarkIsThereOnceABlock) {
  Suite suite;
  suite.add("a", micro_cell({.name = "a"}, {.name = "limit"}), nullptr);
  suite.add("b", micro_cell({.name = "b"}, {.name = "limit"}), nullptr);
  const Plan plan = micro_plan(*suite.matching(""), 3);
  ASSERT_EQ(plan.trials.size(), 6u);
  EXPECT_EQ(plan.blocks, 3u);
  for (std::uint32_t i = 0; i < 6; ++i) {
    EXPECT_EQ(plan.trials[i].number, i);
    EXPECT_EQ(plan.trials[i].block, i / 2);
    EXPECT_EQ(plan.trials[i].position, i % 2);
    EXPECT_EQ(plan.trials[i].cell.primitive.name, i % 2 == 0 ? "a" : "b");
  }
}

}  // namespace
}  // namespace lockbench
