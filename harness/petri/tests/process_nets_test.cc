// SPDX-License-Identifier: Apache-2.0

// The notes about processes, how they are read where one was killed, and which of them are held
// against a net.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/catalog/in_scratch_folder.h"
#include "harness/petri/conformance/processes/net_check.h"
#include "harness/petri/conformance/processes/possible_traces.h"
#include "harness/petri/conformance/processes/recorded_run.h"
#include "harness/petri/conformance/recorder.h"
#include "harness/petri/net/pnml.h"
#include "harness/petri/tests/nets.h"
#include "harness/stress/lock_adapter.h"
#include "harness/stress/supervision/children.h"
#include "primitives/file_lock.h"
#include "tests/mutants/registry.h"

namespace lockbench::stress::processes {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::SizeIs;

LitmusProgram program(const char* text) {
  return program_from(text, 8).value();
}

RegisteredLock named(const std::string& name) {
  std::vector<RegisteredLock> all = mutants::for_proc();
  return *std::find_if(all.begin(), all.end(),
                       [&](const RegisteredLock& l) { return l.name == name; });
}

stress::Event takes(std::uint8_t thread) {
  return {.kind = stress::Event::kAcquire, .thread = thread};
}
stress::Event lets_go(std::uint8_t thread) {
  return {.kind = stress::Event::kRelease, .thread = thread};
}
stress::Event dies(std::uint8_t thread) {
  return {.kind = stress::Event::kDie, .thread = thread};
}

TEST(Recorder, HasOneOrderForAllProcessesAndNoGapWhereOneIsKilled) {
  constexpr std::uint8_t kProcesses = 4;
  constexpr std::uint16_t kEach = 5000;
  Recorder recorder(kProcesses, std::size_t{kProcesses} * kEach + 1);
  std::vector<pid_t> children;
  for (std::uint8_t i = 0; i < kProcesses; ++i) {
    children.push_back(start_child([&, i] {
      for (std::uint16_t n = 0; n < kEach; ++n) {
        recorder.append({.kind = Event::kAcquire, .thread = i, .key = n});
      }
    }));
  }
  while (recorder.count() == 0) usleep(100);
  recorder.append(dies(0));
  kill_child(children[0]);
  for (const pid_t child : children) collect_child(child);
  std::vector<std::uint32_t> next(kProcesses);
  std::size_t deaths = 0;
  for (const Event& event : recorder.events()) {
    if (event.kind == Event::kDie) {
      ++deaths;
    } else {
      EXPECT_EQ(event.key, next[event.thread]++) << int{event.thread};
    }
  }
  EXPECT_EQ(deaths, 1u);
  next[0] = kEach;
  EXPECT_THAT(next, Each(kEach));
}

TEST(Recorder, KnowsTheRequestsThatHaveNotReturnedAndWhoHolds) {
  Recorder recorder(2, 2);
  EXPECT_EQ(recorder.pending(1), std::nullopt);
  const Event request{.kind = Event::kRequest, .thread = 1, .key = 3};
  recorder.requests(request);
  EXPECT_EQ(recorder.pending(1), request);
  recorder.acquired(as(Event::kAcquire, request));
  EXPECT_EQ(recorder.pending(1), std::nullopt);
  EXPECT_TRUE(recorder.is_holding(1));
  EXPECT_FALSE(recorder.is_holding(0));
  recorder.releases(as(Event::kRelease, request));
  EXPECT_FALSE(recorder.is_holding(1));
}

using Events = std::vector<Event>;
using Pending = std::vector<std::optional<Event>>;

TEST(PossibleTraces, AProcessThatIsKilledHoldingDiesAfterItsLastEvent) {
  EXPECT_THAT(possible_traces({takes(0), dies(0), takes(1)}, Pending(2)),
              ElementsAre(Events{takes(0), dies(0), takes(1)}));
  EXPECT_THAT(possible_traces({dies(0), takes(0), takes(1)}, Pending(2)),
              ElementsAre(Events{takes(0), dies(0), takes(1)}));
}

TEST(PossibleTraces, AProcessThatIsKilledReleasingMayStillHaveHeld) {
  EXPECT_THAT(possible_traces({takes(0), lets_go(0), dies(0)}, Pending(2)),
              ElementsAre(Events{takes(0), lets_go(0)}, Events{takes(0), dies(0)}));
}

TEST(PossibleTraces, AProcessThatIsKilledDuringARequestMayHaveHeld) {
  const Event request{.kind = Event::kRequest};
  EXPECT_THAT(
      possible_traces({takes(1), lets_go(1), dies(0)}, {request, std::nullopt}),
      ElementsAre(Events{takes(1), lets_go(1)}, Events{takes(1), lets_go(1), takes(0), dies(0)}));
}

TEST(PossibleTraces, AProcessThatIsKilledOutsideLeavesNothing) {
  EXPECT_THAT(possible_traces({dies(0), takes(1), lets_go(1)}, Pending(2)),
              ElementsAre(Events{takes(1), lets_go(1)}));
}

// For longer than it takes to be killed, and not for so long that it counts as a stall.
constexpr char kResting[] = "L0 R3200000000 U | L0 R3200000000 U";

TEST(RecordedRun, ADeadOwnersLockIsHadAgain) {
  const RegisteredLock file = lock_under_test<InScratchFolder<FileLock<>>>("file", "");
  // Whoever is first is killed resting, when the other waits.
  const RecordedRun run = run_recorded(file, {.program = program(kResting)}, FaultKind::kKill);
  EXPECT_EQ(run.ended_badly, "");
  EXPECT_EQ(run.faults.killed_inside, 1u);
  EXPECT_EQ(run.possible[0].end, Trace::kFinished);
  EXPECT_FALSE(run.possible[0].shortage.has_value());
  ASSERT_FALSE(run.possible[0].events.empty());
  const std::uint8_t first = run.possible[0].events[0].thread;
  EXPECT_THAT(run.possible, ElementsAre(Field(&Trace::events,
                                              ElementsAre(takes(first), dies(first),
                                                          takes(1 - first), lets_go(1 - first)))));
}

TEST(RecordedRun, EndsProcessesThatStandStillAndTellsWhatTheyWaitFor) {
  const RecordedRun run =
      run_recorded(named("link_no_recovery"), {.program = program(kResting)}, FaultKind::kKill);
  EXPECT_EQ(run.possible[0].end, Trace::kStuck);
  ASSERT_THAT(run.possible[0].waits, SizeIs(1));
  EXPECT_EQ(run.possible[0].waits[0].keys(), std::vector<std::uint32_t>{0});
}

TEST(RecordedRun, TellsOfAProcessThatEndsItself) {
  class Deadly final : public LockUnderTest {
   public:
    std::unique_ptr<LockHandle> handle(std::uint64_t) override { std::_Exit(7); }
    std::unique_ptr<LockHandle> handle_both(std::uint64_t, std::uint64_t) override {
      return nullptr;
    }
    std::uint32_t capacity() const override { return 1; }
    std::optional<std::size_t> keys_kept() const override { return std::nullopt; }
    const void* object() const override { return nullptr; }
  };
  RegisteredLock deadly = named("link");
  deadly.make = [](std::uint64_t) { return std::make_unique<Deadly>(); };
  const RecordedRun run = run_recorded(deadly, {.program = program("L0 U")});
  EXPECT_EQ(run.possible[0].end, Trace::kCutOff);
  EXPECT_EQ(run.ended_badly, "process 1 ended itself with code 7");
}

Report held_against(const ModelSpec& spec, const RegisteredLock& entry,
                    std::chrono::seconds budget) {
  const Order order{.budget = budget, .net = pnml_of(model(spec))};
  return check_conformance(entry, order, [](const std::string&) {}).value();
}

TEST(HoldProcessesAgainstNet, TheShippedLockDoesWhatItsNetDoesAndDeadOwnersAreRecovered) {
  for (const bool words : {true, false}) {
    const RegisteredLock file = lock_under_test<InScratchFolder<FileLock<>>>(
        "file", "", FileLockOptions{.wake_words = words});
    const Report report = held_against({.primitive = "file"}, file, std::chrono::seconds(2));
    EXPECT_FALSE(report.failure.has_value()) << report.failure->what;
    EXPECT_GT(report.evaluations[Oracle::kNet], 0u);
  }
}

// A result that its net has, too, is no disagreement.
TEST(HoldProcessesAgainstNet, AStandstillThatTheNetHasIsNone) {
  const Report report = held_against({.primitive = "file_as_published"}, named("file_as_published"),
                                     std::chrono::seconds(4));
  EXPECT_FALSE(report.failure.has_value()) << report.failure->what;
}

TEST(HoldProcessesAgainstNet, KillsNobodyWhereTheNetKnowsNoDeath) {
  const Report report =
      held_against({.primitive = "keyed"}, named("link_no_recovery"), std::chrono::seconds(1));
  EXPECT_FALSE(report.failure.has_value()) << report.failure->what;
  EXPECT_THAT(report.figures, Contains(std::pair(std::string("processes killed"), 0.0)));
}

}  // namespace
}  // namespace lockbench::stress::processes
