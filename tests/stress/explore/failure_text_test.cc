// SPDX-License-Identifier: Apache-2.0

// The simulated engine's description of a failure: what went wrong is called by its name, and each
// access of the lock is told.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/stress/explore/search/engine.h"
#include "harness/stress/litmus/program.h"
#include "tests/mutants/registry.h"

namespace lockbench::stress::explore {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

stress::Report look_into(std::string_view name, Order order) {
  const std::vector<RegisteredLock> all = mutants::for_sim();
  const auto lock = std::find_if(all.begin(), all.end(),
                                 [&](const RegisteredLock& one) { return one.name == name; });
  EXPECT_NE(lock, all.end()) << name;
  order.lock = name;
  order.budget = std::chrono::seconds(20);
  const absl::StatusOr<stress::Report> report = test_lock(*lock, order, [](const auto&) {});
  EXPECT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->failure.has_value()) << name;
  return *report;
}

std::string what_of(std::string_view name) {
  return look_into(name, {}).failure->what;
}

std::string program_of(const stress::Report& report) {
  return report.replay.options.at(3);
}

bool has_lines() {
  const stress::Report report = look_into("spin_two_steps", {});
  return std::any_of(report.steps.begin(), report.steps.end(), [](const TraceStep& step) {
    return step.source_line.starts_with("spin_lock.h:");
  });
}

// Thread 1 looks before it sees that thread 0 has the lock. In another order of these two, nothing
// goes wrong.
TEST(SimFailureText, SaysWhichAccessesDecide) {
  std::vector<std::string> decides;
  for (const TraceStep& step : look_into("spin_two_steps", {}).steps) {
    if (step.decides) decides.push_back(step.act + " " + step.word);
  }
  EXPECT_THAT(decides, ::testing::ElementsAre("buffered_store lock+0", "load lock+0"));
}

TEST(SimFailureText, NamesTheSideThatLacksItsOrder) {
  EXPECT_THAT(
      what_of("spin_relaxed_unlock"),
      AllOf(HasSubstr("; a release is missing: thread "), HasSubstr(" writes lock+0: 1 → 0"),
            HasSubstr("(relaxed)"), Not(HasSubstr("an acquire is missing"))));
  EXPECT_THAT(what_of("spin_relaxed_lock"), AllOf(HasSubstr("; an acquire is missing: thread "),
                                                  HasSubstr(" changes lock+0: 0 → 1 (relaxed)"),
                                                  Not(HasSubstr("a release is missing"))));
}

TEST(SimFailureText, ALockThatDoesNotWaitIsNotSaidToLackAnOrder) {
  // One after the other: that they are not kept apart shows by the order alone.
  const std::string what =
      look_into("spin_nothing", {.program = "L0 U | A0 L0 U", .schedule = "-"}).failure->what;
  EXPECT_THAT(what, HasSubstr("thread 1 read nothing that the unlock() of thread 0 wrote"));
  EXPECT_THAT(what, Not(HasSubstr("is missing")));
}

TEST(SimFailureText, ALostWakeUpIsCalledThat) {
  EXPECT_THAT(what_of("futex_wakes_nobody"),
              AllOf(StartsWith("lost wake-up: thread "), HasSubstr("key 0, which is free")));
}

TEST(SimFailureText, TheTraceHasTheAccessesOfTheLockWithTheirLines) {
  const stress::Report report = look_into("spin_two_steps", {});
  EXPECT_THAT(report.steps,
              Contains(AllOf(Field(&TraceStep::access, true), Field(&TraceStep::word, "lock+0"),
                             Field(&TraceStep::was, "0"), Field(&TraceStep::now, "1"),
                             Field(&TraceStep::order, Not("")))));
  EXPECT_TRUE(std::is_sorted(report.steps.begin(), report.steps.end(),
                             [](const TraceStep& a, const TraceStep& b) { return a.at < b.at; }));
  // The second thread is inside: that is what is wrong, and what comes last.
  EXPECT_EQ(std::count_if(report.steps.begin(), report.steps.end(),
                          [](const TraceStep& step) { return step.wrong; }),
            1);
  EXPECT_TRUE(report.steps.back().wrong);
  EXPECT_EQ(report.steps.back().act, "acquire");
  EXPECT_THAT(report.trace.back(), HasSubstr("<-- here it goes wrong"));
}

TEST(SimFailureText, AStallIsMarkedWhereEachThreadStopped) {
  const stress::Report report = look_into("futex_wakes_nobody", {});
  EXPECT_THAT(report.steps,
              Contains(AllOf(Field(&TraceStep::wrong, true), Field(&TraceStep::act, "sleep"))));
}

TEST(SimFailureText, LinesOfSourceAreThoseOfTheLock) {
  if (!has_lines()) GTEST_SKIP() << "built without libdw";
  for (const TraceStep& step : look_into("spin_relaxed_unlock", {}).steps) {
    // A store leaves its buffer at some time, wherever its thread is.
    if (step.access && step.act != "flush") {
      EXPECT_THAT(step.source_line, StartsWith("spin_lock.h:")) << step.text;
    }
  }
}

TEST(SimFailureText, NoMoreActsAreLeftThanTheFailureTakes) {
  EXPECT_EQ(program_of(look_into("spin_two_steps",
                                 {.program = "R5 L0 U T1 U | R7 | B0+1 R400000 E | W0:5 U"})),
            "L0 U | L0 U");
  EXPECT_EQ(program_of(look_into("futex_wakes_nobody", {.program = "B1+1 E R9 | R5 B1+1 U |"})),
            "L0 U | L0 U");
}

}  // namespace
}  // namespace lockbench::stress::explore
