#include "harness/command/tally.h"

#include <gtest/gtest.h>

namespace lockbench {
namespace {

Trial trial_of(const std::string& primitive) {
  return {.cell = {.primitive = {primitive, {}}, .workload = {"counter", ""}}};
}

const Sample kValid{.lost_updates = 0, .violations = 0};

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

TEST(Tally, LetsAProofThatFailedSpeakForItself) {
  Tally tally;
  tally.add(trial_of("none"),
            {.reason = "lost 15 updates in 21 operations", .lost_updates = 15, .violations = 0});
  EXPECT_EQ(tally.text(),
            "1 trial, none of them valid\n"
            "  1 × none, counter: lost 15 updates in 21 operations");
}

}  // namespace
}  // namespace lockbench
