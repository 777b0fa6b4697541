// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/tally.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/plan/describe.h"

namespace lockbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Trial trial_of(const std::string& primitive) {
  return {.cell = {.primitive = {primitive, {}}, .workload = {"counter", ""}}};
}

const Measurement kValid{.valid = true};

TEST(Tally, SaysThatAllIsWellInAFewWords) {
  Tally tally;
  tally.add(trial_of("keyed"), kValid);
  EXPECT_EQ(tally.text(), "1 trial, valid");
  tally.add(trial_of("keyed"), kValid);
  EXPECT_EQ(tally.text(), "2 trials, all valid");
}

TEST(Tally, CountsEachTroubleOfAPrimitiveApartAndGivesItsLastReason) {
  Tally tally;
  tally.add(trial_of("keyed"), kValid);
  tally.add(trial_of("lease"), {.outcome = Outcome::kDeadlock, .reason = "stuck for 2 s"});
  tally.add(trial_of("lease"), {.outcome = Outcome::kDeadlock, .reason = "stuck for 3 s"});
  tally.add(trial_of("lease"), {.outcome = Outcome::kCrashed, .reason = "signal 11"});
  EXPECT_EQ(tally.text(),
            "4 trials, 1 of them valid\n"
            "  2 × lease, counter: deadlock: stuck for 3 s\n"
            "  1 × lease, counter: crashed: signal 11");
}

TEST(Tally, SaysWhichCellsStayedImprecise) {
  Cell cell = trial_of("keyed").cell;
  Tally one;
  one.add(trial_of("keyed"), kValid);
  one.note_imprecise(std::vector{cell}, 0.02);
  EXPECT_EQ(one.text(),
            "1 trial, valid\n"
            "  the budget ended with 1 cell less precise than 2 %; a larger --budget narrows it:\n"
            "    " +
                describe(cell));
  std::vector<Cell> cells;
  for (cell.threads = 1; cell.threads <= 10; ++cell.threads) cells.push_back(cell);
  Tally many;
  many.note_imprecise(cells, 0.005);
  EXPECT_THAT(many.text(), HasSubstr("with 10 cells less precise than 0.5 %;"));
  EXPECT_THAT(many.text(), HasSubstr(describe(cells[7]) + "\n    and 2 more"));
  EXPECT_THAT(many.text(), Not(HasSubstr(describe(cells[8]))));
}

TEST(Tally, CountsADisturbedTrialAsATrouble) {
  Tally tally;
  tally.add(trial_of("keyed"), {.reason = "the window took 50 % longer than asked for"});
  EXPECT_EQ(tally.text(),
            "1 trial, none of them valid\n"
            "  1 × keyed, counter: the window took 50 % longer than asked for");
}

TEST(Tally, LetsAProofThatFailedSpeakForItself) {
  Tally tally;
  tally.add(trial_of("none"), {.reason = "lost 15 updates in 21 operations"});
  EXPECT_EQ(tally.text(),
            "1 trial, none of them valid\n"
            "  1 × none, counter: lost 15 updates in 21 operations");
}

TEST(Tally, ShowsAReasonFromAFileInOneLine) {
  Tally tally;
  tally.add(trial_of("none"), {.reason = "two\nlines"});
  EXPECT_THAT(tally.text(), Not(HasSubstr("two\nlines")));
}

TEST(Tally, CountsTheLastAttemptAtEachTrialThatHasARow) {
  const Plan plan{.trials = {trial_of("keyed"), trial_of("lease"), trial_of("none")}};
  const std::vector<Measurement> rows{
      {.trial = 0, .attempt = 0, .reason = "disturbed"},
      {.trial = 0, .attempt = 1, .valid = true},
      {.trial = 2, .reason = "lost 15 updates"},
  };
  EXPECT_EQ(tally_of(plan, rows).text(),
            "2 trials, 1 of them valid\n"
            "  1 × none, counter: lost 15 updates");
}

}  // namespace
}  // namespace lockbench
