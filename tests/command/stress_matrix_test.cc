// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/stress/command/matrix.h"
#include "harness/stress/command/text.h"

namespace lockbench {
namespace {

using stress::Oracle;
using ::testing::HasSubstr;
using ::testing::Not;

KillEntry killed(const std::string& lock, Oracle oracle, double after_s, const std::string& how) {
  return {{"real", "/bin/real", {.name = lock, .expected_oracles = {"exclusion"}}, {}},
          {.verdict = stress::Verdict::kFailed,
           .failure = stress::Failure{oracle, "what"},
           .how = how,
           .found_after_s = after_s},
          oracle == Oracle::kExclusion ? Kill::kAsExpected : Kill::kWrongOracle};
}

KillEntry control(Kill kill) {
  return {{"real", "/bin/real", {.name = "correct"}, {}}, {}, kill};
}

TEST(KillMatrix, ALockIsOneLineWithTheMedianOfItsRuns) {
  const std::string matrix = kill_matrix({killed("a", Oracle::kExclusion, 0.003, "yields"),
                                          killed("a", Oracle::kExclusion, 0.001, "plain"),
                                          killed("a", Oracle::kExclusion, 0.002, "yields")});
  EXPECT_EQ(std::count(matrix.begin(), matrix.end(), '\n'), 1);
  EXPECT_THAT(matrix, HasSubstr("3/3"));
  EXPECT_THAT(matrix, HasSubstr("2.0 ms  by exclusion 3 (yields 2, plain 1)"));
}

TEST(KillMatrix, OneRunByTheWrongOracleIsALocksFailure) {
  const std::string matrix = kill_matrix({killed("a", Oracle::kExclusion, 0.001, "plain"),
                                          killed("a", Oracle::kModel, 0.001, "plain")});
  EXPECT_THAT(matrix, HasSubstr("WRONG ORACLE    1/2"));
}

TEST(KillMatrix, SaysWhyAnEngineFailed) {
  KillEntry failed = control(Kill::kEngineFailed);
  failed.report.remarks = {"the engine ended without a result"};
  EXPECT_THAT(kill_matrix({control(Kill::kPassed), failed}),
              HasSubstr("ENGINE FAILED   1/2  the engine ended without a result"));
}

TEST(KillSummary, CountsLocksAndNotRuns) {
  const std::vector<KillEntry> entries = {killed("a", Oracle::kExclusion, 0.001, "plain"),
                                          killed("b", Oracle::kExclusion, 0.5, "plain"),
                                          control(Kill::kPassed),
                                          killed("a", Oracle::kExclusion, 0.001, "plain"),
                                          killed("b", Oracle::kExclusion, 0.5, "plain"),
                                          control(Kill::kPassed)};
  const std::string summary = kill_summary(entries);
  EXPECT_THAT(summary, HasSubstr("2 of 2 broken locks detected"));
  EXPECT_THAT(summary, HasSubstr("slowest b 500.0 ms"));
  EXPECT_THAT(summary, HasSubstr("1 of 1 correct ones passed"));
}

TEST(KillSummary, AControlThatFailsOnceDoesNotPass) {
  EXPECT_THAT(kill_summary({control(Kill::kPassed), control(Kill::kFalseFailure)}),
              HasSubstr("0 of 1 correct ones passed"));
}

TEST(LiveLine, ShowsTheEngineItsLastWordsAndTheFindings) {
  const TestJob job{"sim", "/bin/sim", {.name = "keyed"}, {}};
  EXPECT_EQ(live_line(job, 2, 12, 1, " 10 schedules\n 20 schedules\n"),
            "3/12  sim  keyed  20 schedules  1 failures");
}

TEST(LiveLine, LeavesOutWhatIsNotYetWhole) {
  const TestJob job{"sim", "/bin/sim", {.name = "keyed"}, {}};
  EXPECT_THAT(live_line(job, 0, 1, 0, " 10 schedules\n 20 sch"), HasSubstr("10 schedules"));
  EXPECT_THAT(live_line(job, 0, 1, 0, ""), Not(HasSubstr("schedules")));
}

}  // namespace
}  // namespace lockbench
