// SPDX-License-Identifier: Apache-2.0

// Events that are logged of native threads, and events that cannot be held against a net.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/petri/conformance/recorder.h"
#include "harness/petri/conformance/threads/net_check.h"
#include "harness/petri/conformance/threads/recorded_run.h"
#include "harness/petri/net/pnml.h"
#include "harness/petri/tests/nets.h"
#include "harness/stress/litmus/program.h"
#include "tests/mutants/registry.h"

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

TEST(Recorder, PutsTheEventsOfAllThreadsInOneOrder) {
  using Event = stress::Event;
  const std::vector<Event> expected{{.kind = Event::kAcquire, .thread = 1, .key = 1},
                                    {.kind = Event::kAcquire},
                                    {.kind = Event::kRelease, .thread = 1, .key = 1}};
  stress::Recorder recorder(2, expected.size());
  recorder.acquired(expected[0]);
  recorder.acquired(expected[1]);
  recorder.releases(expected[2]);
  EXPECT_EQ(recorder.events(), expected);
  EXPECT_EQ(recorder.count(), 3u);
}

TEST(RecordedRun, HoldersOfACorrectLockNeverOverlapInTheTrace) {
  for (const bool yields : {false, true}) {
    const RecordedRun run = run_recorded(
        named("futex"),
        {.program = program("L0 U | L0 U | L0 U"), .passes = kPasses, .yields = yields});
    EXPECT_EQ(run.ended_badly, "");
    EXPECT_EQ(run.trace.end, Trace::kFinished);
    const auto& events = run.trace.events;
    ASSERT_EQ(events.size(), 6u * kPasses);
    for (std::size_t i = 0; i < events.size(); i += 2) {
      EXPECT_EQ(events[i].kind, stress::Event::kAcquire) << i;
      EXPECT_EQ(events[i + 1].kind, stress::Event::kRelease) << i;
      EXPECT_EQ(events[i].thread, events[i + 1].thread) << i;
    }
  }
}

TEST(RecordedRun, EndsThreadsThatStandStillAndTellsWhatTheyWaitFor) {
  const RecordedRun run =
      run_recorded(named("stripes_as_asked"), {.program = program("L0 L0 U U"), .passes = 1});
  EXPECT_EQ(run.trace.end, Trace::kStuck);
  ASSERT_EQ(run.trace.events.size(), 1u);
  ASSERT_EQ(run.trace.waits.size(), 1u);
  EXPECT_EQ(run.trace.waits[0].keys(), std::vector<std::uint32_t>{0});
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
