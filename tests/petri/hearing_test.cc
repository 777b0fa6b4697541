// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/conformance/hearing.h"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/petri/nets.h"

namespace lockbench::stress {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

Deed takes(std::uint32_t thread) {
  return {.kind = Deed::kTakes, .thread = thread, .keys = {0}};
}
Deed lets_go(std::uint32_t thread) {
  return {.kind = Deed::kLetsGo, .thread = thread, .keys = {0}};
}

// Of the net of `global`: one after the other, and two inside at once.
const Chronicle kRight{.deeds = {takes(0), lets_go(0), takes(1), lets_go(1)},
                       .end = Chronicle::kAllGone};
const Chronicle kWrong{.deeds = {takes(0), lets_go(0), takes(1), takes(0)}};

class HearingTest : public testing::Test {
 protected:
  void look_at(const Chronicle& chronicle, const std::string& ended_badly = "") {
    hearing_.look_at({&chronicle, 1}, "by hand", ended_badly);
  }
  Report report() const { return hearing_.complete({.engine = "none", .suspect = "mine"}); }

  const WatchedNet net_ = WatchedNet::watch(model({.primitive = "global"})).value();
  Hearing hearing_{net_, KeyMap{.lock_of = {0}}};
};

TEST_F(HearingTest, IsCleanWhereTheNetCanDoAllThatWasSeen) {
  look_at(kRight);
  look_at(kRight);
  EXPECT_FALSE(hearing_.convicts());
  const Report said = report();
  EXPECT_EQ(said.engine, "none");
  EXPECT_EQ(said.suspect, "mine");
  EXPECT_EQ(said.verdict, Verdict::kClean);
  EXPECT_EQ(said.evaluations[Oracle::kNet], 2u);
  EXPECT_THAT(said.figures, ElementsAre(std::pair("executions", 2.0), std::pair("events", 8.0)));
  EXPECT_THAT(said.remarks, Contains(AllOf(HasSubstr("never seen"), HasSubstr("thread 3"))));
}

TEST_F(HearingTest, ConvictsByWhatTheNetCannotDoAndTellsTheTraceUpToThere) {
  look_at(kRight);
  look_at(kWrong);
  EXPECT_TRUE(hearing_.convicts());
  const Report said = hearing_.complete({.seconds = 1.5});
  EXPECT_EQ(said.verdict, Verdict::kConvicted);
  ASSERT_TRUE(said.finding.has_value());
  EXPECT_EQ(said.finding->oracle, Oracle::kNet);
  EXPECT_EQ(said.how, "by hand");
  EXPECT_EQ(said.found_after_s, 1.5);
  ASSERT_EQ(said.story.size(), 4u);
  EXPECT_THAT(said.story.back(), HasSubstr("thread 1 takes"));
}

TEST_F(HearingTest, ConvictsByABadEndWhereTheNetCanDoTheRest) {
  look_at(kRight, "process 1 ended itself");
  const Report said = report();
  ASSERT_TRUE(said.finding.has_value());
  EXPECT_EQ(said.finding->oracle, Oracle::kCrash);
  EXPECT_EQ(said.finding->what, "process 1 ended itself");
  EXPECT_EQ(said.story.size(), 4u);
}

TEST_F(HearingTest, PutsWhatTheNetCannotDoBeforeABadEnd) {
  look_at(kWrong, "process 1 ended itself");
  EXPECT_EQ(report().finding->oracle, Oracle::kNet);
}

TEST_F(HearingTest, CountsWhatItPassesOverAsDoneAndNotAsJudged) {
  look_at(kRight);
  hearing_.pass_over();
  EXPECT_EQ(hearing_.executions(), 2u);
  EXPECT_EQ(hearing_.passed_over(), 1u);
  const Report said = report();
  EXPECT_EQ(said.evaluations[Oracle::kNet], 1u);
  EXPECT_THAT(said.figures, Contains(std::pair("executions", 2.0)));
}

}  // namespace
}  // namespace lockbench::stress
