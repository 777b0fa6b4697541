// SPDX-License-Identifier: Apache-2.0

// What is logged of native threads, and what cannot be held against a net.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/petri/pnml.h"
#include "harness/stress/litmus/program.h"
#include "harness/stress/threads/conformance.h"
#include "harness/stress/threads/log.h"
#include "harness/stress/threads/recorded_run.h"
#include "tests/mutants/registry.h"
#include "tests/petri/nets.h"

namespace lockbench::stress::threads {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint32_t kPasses = 200;

RegisteredLock named(const std::string& name) {
  std::vector<RegisteredLock> all = mutants::for_real();
  return *std::find_if(all.begin(), all.end(),
                       [&](const RegisteredLock& l) { return l.name == name; });
}

LitmusProgram program(const char* text) {
  return program_from(text, 8).value();
}

TEST(Log, PutsWhatThreadsNotedInOneOrder) {
  const LitmusProgram both = program("L0 U | L1 U");
  Log log(both, 1);
  log.note(1, {.act = 0, .takes = true});
  log.note(0, {.act = 0, .takes = true});
  log.note(1, {.act = 0, .takes = false});
  using Deed = stress::Deed;
  const std::vector<Deed> expected{{.kind = Deed::kTakes, .thread = 1, .keys = {1}},
                                   {.kind = Deed::kTakes, .thread = 0, .keys = {0}},
                                   {.kind = Deed::kLetsGo, .thread = 1, .keys = {1}}};
  EXPECT_EQ(log.deeds(both), expected);
  EXPECT_TRUE(log.whole());
  EXPECT_EQ(log.noted(), 3u);
}

TEST(Log, TellsWhoWaitsForWhat) {
  const LitmusProgram both = program("L0 U | L1 L0 U U");
  Log log(both, 1);
  EXPECT_THAT(log.waits(both), IsEmpty());
  log.wants(1, 1);
  ASSERT_EQ(log.waits(both).size(), 1u);
  EXPECT_EQ(log.waits(both)[0].thread, 1u);
  EXPECT_EQ(log.waits(both)[0].keys, std::vector<std::uint32_t>{0});
  log.wants_nothing(1);
  EXPECT_THAT(log.waits(both), IsEmpty());
}

TEST(RecordedRun, HoldersOfACorrectLockNeverOverlapInTheLog) {
  for (const bool yields : {false, true}) {
    const RecordedRun run = run_recorded(
        named("futex"),
        {.program = program("L0 U | L0 U | L0 U"), .passes = kPasses, .yields = yields});
    EXPECT_EQ(run.ended_badly, "");
    EXPECT_EQ(run.trace.end, Trace::kAllGone);
    const auto& deeds = run.trace.deeds;
    ASSERT_EQ(deeds.size(), 6u * kPasses);
    for (std::size_t i = 0; i < deeds.size(); i += 2) {
      EXPECT_EQ(deeds[i].kind, stress::Deed::kTakes) << i;
      EXPECT_EQ(deeds[i + 1].kind, stress::Deed::kLetsGo) << i;
      EXPECT_EQ(deeds[i].thread, deeds[i + 1].thread) << i;
    }
  }
}

TEST(RecordedRun, EndsThreadsThatStandStillAndTellsWhatTheyWaitFor) {
  const RecordedRun run =
      run_recorded(named("stripes_as_asked"), {.program = program("L0 L0 U U"), .passes = 1});
  EXPECT_EQ(run.trace.end, Trace::kStill);
  ASSERT_EQ(run.trace.deeds.size(), 1u);
  ASSERT_EQ(run.trace.waits.size(), 1u);
  EXPECT_EQ(run.trace.waits[0].keys, std::vector<std::uint32_t>{0});
}

TEST(RecordedRun, OutlivesALockThatTakesItsProcessWithIt) {
  RegisteredLock deadly = named("futex");
  deadly.make = [](std::uint64_t) -> std::unique_ptr<LockUnderTest> { std::_Exit(7); };
  const RecordedRun run = run_recorded(deadly, {.program = program("L0 U")});
  EXPECT_EQ(run.trace.end, Trace::kCutOff);
  EXPECT_EQ(run.ended_badly, "the process ended itself with code 7");
}

TEST(HoldNativeThreadsAgainstNet, RefusesALockThatTakesKeysAwayByTheClock) {
  RegisteredLock limited = named("futex");
  limited.abilities.hold_limit = std::chrono::milliseconds(1);
  const Order order{.net = pnml_of(model({.primitive = "timed_hold"}))};
  const auto report = check_conformance(limited, order, [](const std::string&) {});
  EXPECT_EQ(report.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(report.status().message()), HasSubstr("use the simulated engine"));
}

}  // namespace
}  // namespace lockbench::stress::threads
