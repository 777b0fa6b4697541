// SPDX-License-Identifier: Apache-2.0

// What is noted of processes, how it is read where one was killed, and what of it is held against a
// net.

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

#include "harness/catalog/in_scratch_folder.h"
#include "harness/petri/pnml.h"
#include "harness/stress/lock_adapter.h"
#include "harness/stress/processes/conformance.h"
#include "harness/stress/processes/journal.h"
#include "harness/stress/processes/possible_traces.h"
#include "harness/stress/processes/recorded_run.h"
#include "harness/stress/supervision/children.h"
#include "primitives/file_lock.h"
#include "tests/mutants/registry.h"
#include "tests/petri/nets.h"

namespace lockbench::stress::processes {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::SizeIs;
using InjectedFaults = std::vector<stress::Deed>;
using Wanted = std::vector<std::optional<std::uint32_t>>;

LitmusProgram program(const char* text) {
  return program_from(text, 8).value();
}

RegisteredLock named(const std::string& name) {
  std::vector<RegisteredLock> all = mutants::for_proc();
  return *std::find_if(all.begin(), all.end(),
                       [&](const RegisteredLock& l) { return l.name == name; });
}

Record took(std::uint8_t process, std::uint32_t act = 0) {
  return {.kind = Record::kTakes, .process = process, .act = act};
}
Record gave(std::uint8_t process, std::uint32_t act = 0) {
  return {.kind = Record::kLetsGo, .process = process, .act = act};
}
Record doomed(std::uint8_t process) {
  return {.kind = Record::kDoomed, .process = process};
}
stress::Deed takes(std::uint32_t thread) {
  return {.kind = stress::Deed::kTakes, .thread = thread, .keys = {0}};
}
stress::Deed lets_go(std::uint32_t thread) {
  return {.kind = stress::Deed::kLetsGo, .thread = thread, .keys = {0}};
}
stress::Deed dies(std::uint32_t thread) {
  return {.kind = stress::Deed::kDies, .thread = thread};
}

TEST(Journal, HasOneOrderForAllProcessesAndNoGapWhereOneIsKilled) {
  constexpr std::uint32_t kProcesses = 4;
  constexpr std::uint32_t kEach = 5000;
  Journal journal(kProcesses, std::size_t{kProcesses} * kEach + 1);
  std::vector<pid_t> children;
  for (std::uint32_t i = 0; i < kProcesses; ++i) {
    children.push_back(start_child([&, i] {
      for (std::uint32_t n = 0; n < kEach; ++n) journal.note(i, {.act = n, .takes = true});
    }));
  }
  while (journal.noted() == 0) usleep(100);
  journal.doom(0);
  kill_child(children[0]);
  for (const pid_t child : children) collect_child(child);
  std::vector<std::uint32_t> next(kProcesses);
  std::size_t dooms = 0;
  for (const Record& record : journal.records()) {
    if (record.kind == Record::kDoomed) {
      ++dooms;
    } else {
      EXPECT_EQ(record.act, next[record.process]++) << int{record.process};
    }
  }
  EXPECT_EQ(dooms, 1u);
  next[0] = kEach;
  EXPECT_THAT(next, Each(kEach));
}

TEST(Journal, TellsWhoWaitsForWhatAndWhoIsInside) {
  Journal journal(2, 2);
  EXPECT_EQ(journal.wanted_by(1), std::nullopt);
  journal.wants(1, 3);
  EXPECT_EQ(journal.wanted_by(1), 3u);
  journal.wants_nothing(1);
  journal.note(1, {.act = 3, .takes = true});
  EXPECT_EQ(journal.wanted_by(1), std::nullopt);
  EXPECT_TRUE(journal.is_inside(1));
  EXPECT_FALSE(journal.is_inside(0));
  journal.note(1, {.act = 3, .takes = false});
  EXPECT_FALSE(journal.is_inside(1));
}

TEST(Readings, WhoIsKilledHoldingDiesAfterAllThatItNoted) {
  const LitmusProgram both = program("L0 U | L0 U");
  EXPECT_THAT(possible_traces({took(0), doomed(0), took(1)}, Wanted(2), both),
              ElementsAre(InjectedFaults{takes(0), dies(0), takes(1)}));
  EXPECT_THAT(possible_traces({doomed(0), took(0), took(1)}, Wanted(2), both),
              ElementsAre(InjectedFaults{takes(0), dies(0), takes(1)}));
}

TEST(Readings, WhoIsKilledGivingBackMayHaveHeldItStill) {
  EXPECT_THAT(possible_traces({took(0), gave(0), doomed(0)}, Wanted(2), program("L0 U | L0 U")),
              ElementsAre(InjectedFaults{takes(0), lets_go(0)}, InjectedFaults{takes(0), dies(0)}));
}

TEST(Readings, WhoIsKilledAskingMayHaveHadIt) {
  EXPECT_THAT(
      possible_traces({took(1), gave(1), doomed(0)}, {0, std::nullopt}, program("L0 U | L0 U")),
      ElementsAre(InjectedFaults{takes(1), lets_go(1)},
                  InjectedFaults{takes(1), lets_go(1), takes(0), dies(0)}));
}

TEST(Readings, WhoIsKilledOutsideLeavesNothing) {
  EXPECT_THAT(possible_traces({doomed(0), took(1), gave(1)}, Wanted(2), program("L0 U | L0 U")),
              ElementsAre(InjectedFaults{takes(1), lets_go(1)}));
}

// For longer than it takes to be killed, and not for so long that this is a standstill.
constexpr char kResting[] = "L0 R3200000000 U | L0 R3200000000 U";

TEST(RecordedRun, ADeadOwnersLockIsHadAgain) {
  const RegisteredLock file = lock_under_test<InScratchFolder<FileLock<>>>("file", "");
  // Whoever is first is killed resting, when the other waits.
  const RecordedRun run =
      run_recorded(file, {.program = program(kResting), .fault = FaultKind::kKill});
  EXPECT_EQ(run.ended_badly, "");
  EXPECT_EQ(run.strikes.killed_inside, 1u);
  EXPECT_EQ(run.possible[0].end, Trace::kAllGone);
  EXPECT_FALSE(run.possible[0].shortage.has_value());
  ASSERT_FALSE(run.possible[0].deeds.empty());
  const std::uint32_t first = run.possible[0].deeds[0].thread;
  EXPECT_THAT(run.possible,
              ElementsAre(Field(&Trace::deeds, ElementsAre(takes(first), dies(first),
                                                           takes(1 - first), lets_go(1 - first)))));
}

TEST(RecordedRun, EndsProcessesThatStandStillAndTellsWhatTheyWaitFor) {
  const RecordedRun run = run_recorded(named("link_no_recovery"),
                                       {.program = program(kResting), .fault = FaultKind::kKill});
  EXPECT_EQ(run.possible[0].end, Trace::kStill);
  ASSERT_THAT(run.possible[0].waits, SizeIs(1));
  EXPECT_EQ(run.possible[0].waits[0].keys, std::vector<std::uint32_t>{0});
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

// What its net says of it, too, is no disagreement.
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
