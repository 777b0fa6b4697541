// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/conformance/conformance_run.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/petri/net/replay.h"
#include "harness/petri/tests/nets.h"

namespace lockbench::stress {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Event takes(std::uint8_t thread) {
  return {.kind = Event::kAcquire, .thread = thread};
}
Event lets_go(std::uint8_t thread) {
  return {.kind = Event::kRelease, .thread = thread};
}

// Traces of the net of `global`: one after the other, and two inside at once.
const Trace kRight{.events = {takes(0), lets_go(0), takes(1), lets_go(1)}, .end = Trace::kFinished};
const Trace kWrong{.events = {takes(0), lets_go(0), takes(1), takes(0)}};

class ConformanceRunTest : public testing::Test {
 protected:
  void look_at(const Trace& trace, const std::string& ended_badly = "") {
    run_.look_at({&trace, 1}, "by hand", ended_badly);
  }
  Report report() const { return run_.complete({.engine = "none", .lock = "mine"}); }

  const WatchedNet net_ = WatchedNet::watch(model({.primitive = "global"})).value();
  ConformanceRun run_{net_, KeyMap{.lock_of = {0}}};
};

TEST_F(ConformanceRunTest, IsCleanWhereTheNetCanDoAllThatWasSeen) {
  look_at(kRight);
  look_at(kRight);
  EXPECT_FALSE(run_.failed());
  const Report said = report();
  EXPECT_EQ(said.engine, "none");
  EXPECT_EQ(said.lock, "mine");
  EXPECT_EQ(said.verdict, Verdict::kClean);
  EXPECT_EQ(said.evaluations[Oracle::kNet], 2u);
  EXPECT_THAT(said.figures, ElementsAre(std::pair("executions", 2.0), std::pair("events", 8.0)));
  EXPECT_THAT(said.remarks, Contains(AllOf(HasSubstr("never seen"), HasSubstr("thread 3"))));
}

TEST_F(ConformanceRunTest, FailsByWhatTheNetCannotDoAndTellsTheTraceUpToThere) {
  look_at(kRight);
  look_at(kWrong);
  EXPECT_TRUE(run_.failed());
  const Report said = run_.complete({.seconds = 1.5});
  EXPECT_EQ(said.verdict, Verdict::kFailed);
  ASSERT_TRUE(said.failure.has_value());
  EXPECT_EQ(said.failure->oracle, Oracle::kNet);
  EXPECT_EQ(said.how, "by hand");
  EXPECT_EQ(said.found_after_s, 1.5);
  ASSERT_EQ(said.trace.size(), 4u);
  EXPECT_THAT(said.trace.back(), HasSubstr("thread 1 acquires"));
}

TEST_F(ConformanceRunTest, FailsByABadEndWhereTheNetCanDoTheRest) {
  look_at(kRight, "process 1 ended itself");
  const Report said = report();
  ASSERT_TRUE(said.failure.has_value());
  EXPECT_EQ(said.failure->oracle, Oracle::kCrash);
  EXPECT_EQ(said.failure->what, "process 1 ended itself");
  EXPECT_EQ(said.trace.size(), 4u);
}

TEST_F(ConformanceRunTest, PutsWhatTheNetCannotDoBeforeABadEnd) {
  look_at(kWrong, "process 1 ended itself");
  EXPECT_EQ(report().failure->oracle, Oracle::kNet);
}

TEST_F(ConformanceRunTest, CountsWhatItPassesOverAsDoneAndNotAsJudged) {
  look_at(kRight);
  run_.skip();
  EXPECT_EQ(run_.executions(), 2u);
  EXPECT_EQ(run_.skipped(), 1u);
  const Report said = report();
  EXPECT_EQ(said.evaluations[Oracle::kNet], 1u);
  EXPECT_THAT(said.figures, Contains(std::pair("executions", 2.0)));
}

TEST_F(ConformanceRunTest, DecidesNothingWhereNothingWasLookedAt) {
  EXPECT_EQ(report().verdict, Verdict::kInconclusive);
  EXPECT_THAT(report().remarks, IsEmpty());
  run_.skip();
  EXPECT_EQ(report().verdict, Verdict::kInconclusive);
  look_at(kRight);
  EXPECT_EQ(report().verdict, Verdict::kClean);
}

// Thread 1 leaves one of so many marks behind, each of which is a way of its own to have taken;
// thread 2 can never take.
Net with_marks(std::uint32_t marks) {
  Net net = {.name = "marks",
             .places = {{.name = "1 outside", .owner = "thread 1", .tokens = 1},
                        {.name = "1 holds a", .owner = "thread 1"},
                        {.name = "2 outside", .owner = "thread 2", .tokens = 1},
                        {.name = "2 holds a", .owner = "thread 2"},
                        {.name = "never"}}};
  const auto add = [&net](const std::string& name, const std::string& event, std::vector<Arc> from,
                          std::vector<Arc> to) {
    net.transitions.push_back({.name = name,
                               .owner = event.substr(0, 8),
                               .event = parse_event(event),
                               .pre = std::move(from),
                               .post = std::move(to)});
  };
  for (std::uint32_t i = 0; i < marks; ++i) {
    net.places.push_back({.name = "mark " + std::to_string(i)});
    add("thread 1 marks " + std::to_string(i), "thread 1 acquires a", {{0}}, {{1}, {5 + i}});
  }
  add("1 out", "thread 1 releases a", {{1}}, {{0}});
  add("2 in", "thread 2 acquires a", {{2}, {4}}, {{3}});
  add("2 out", "thread 2 releases a", {{3}}, {{2}});
  return net;
}

TEST_F(ConformanceRunTest, DecidesNothingIfCandidatesAreDropped) {
  for (const std::size_t marks : {kLookaheadCandidates, kLookaheadCandidates + 1}) {
    const auto net = WatchedNet::watch(with_marks(static_cast<std::uint32_t>(marks))).value();
    ConformanceRun run(net, KeyMap{.lock_of = {0}});
    const Trace trace{.events = {takes(0), takes(1)}};
    run.look_at({&trace, 1}, "by hand");
    const bool followed = marks == kLookaheadCandidates;
    EXPECT_EQ(run.failed(), followed);
    const Report said = run.complete({});
    EXPECT_EQ(said.verdict, followed ? Verdict::kFailed : Verdict::kInconclusive);
    EXPECT_EQ(said.evaluations[Oracle::kNet], followed ? 1u : 0u);
  }
}

}  // namespace
}  // namespace lockbench::stress
