// SPDX-License-Identifier: Apache-2.0

// The verdicts of the engine of processes on locks that are known to be broken, and on some that
// are not.
#include "harness/stress/processes/engine.h"

#include <chrono>
#include <csignal>
#include <sched.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/catalog/in_scratch_folder.h"
#include "harness/stress/lock_adapter.h"
#include "harness/stress/processes/call_watch.h"
#include "harness/stress/supervision/children.h"
#include "primitives/file_lock.h"
#include "primitives/platform/process.h"
#include "tests/mutants/link_lock.h"

namespace lockbench::stress::processes {
namespace {

using namespace std::chrono_literals;
using mutants::LinkFault;
using mutants::LinkLock;
using testing::AnyOf;
using testing::Contains;
using testing::ContainsRegex;
using testing::Eq;
using testing::Gt;
using testing::HasSubstr;
using testing::Pair;

template <class P>
Report report_on(Order order, const LockLimits& limits = {}) {
  RegisteredLock entry = lock_under_test<InScratchFolder<P>>("lock", "");
  entry.abilities.limits = limits;
  order.lock = entry.name;
  auto report = test_lock(entry, order, [](const std::string&) {});
  EXPECT_TRUE(report.ok()) << report.status();
  return report.value_or(Report());
}

// Else a lock would be convicted that nothing could tell the two processes.
TEST(ProcEngine, GivesANumberOnToNobodyOfTheSameTick) {
  const auto wait_for_a_kill = [] { pause(); };
  const pid_t first = start_child(wait_for_a_kill);
  while (!began_in_an_earlier_tick(first)) sched_yield();
  const pid_t second = start_child(wait_for_a_kill);
  const auto before = platform::process_facts(first);
  const auto after = platform::process_facts(second);
  for (const pid_t process : {first, second}) {
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }
  ASSERT_TRUE(before && after);
  EXPECT_LT(before->started, after->started);
}

TEST(ProcEngine, FailsATheftFromAStoppedOwner) {
  const Report report =
      report_on<LinkLock<LinkFault::kStealsFromPaused>>({.budget = 30s, .mode = "stop"});
  ASSERT_EQ(report.verdict, Verdict::kFailed);
  EXPECT_EQ(report.failure->oracle, Oracle::kExclusion);
  EXPECT_EQ(report.how, "stop");
  EXPECT_THAT(report.replay.options, Contains(Eq("stop")));
}

TEST(ProcEngine, FailsALockThatADeadOwnerKeeps) {
  const Report report = report_on<LinkLock<LinkFault::kNoRecovery>>({.budget = 30s});
  ASSERT_EQ(report.verdict, Verdict::kFailed);
  EXPECT_EQ(report.failure->oracle, Oracle::kProgress);
  // One that was killed on its way out of lock() had not yet said that it holds the key: the last
  // to say so may be alive, or none.
  EXPECT_THAT(report.failure->what,
              AnyOf(HasSubstr("which was killed"), HasSubstr("which no process holds"),
                    HasSubstr("the last to hold it")));
  EXPECT_THAT(report.remarks, Contains(HasSubstr("promises .limits = {.no_kills = true}")));
  EXPECT_GT(report.replay.reruns, 0U);
}

TEST(ProcEngine, KillsNoHolderOfALockThatPromisesNoKills) {
  const Report report =
      report_on<LinkLock<LinkFault::kNoRecovery>>({.budget = 3s}, {.no_kills = true});
  EXPECT_EQ(report.verdict, Verdict::kClean) << (report.failure ? report.failure->what : "");
  EXPECT_THAT(report.figures, Contains(Pair("processes_killed", 0)));
}

TEST(ProcEngine, FailsALockThatIsClaimedByTwoSystemCalls) {
  if (const auto why = CallWatch::why_unavailable()) GTEST_SKIP() << *why;
  const Report report = report_on<LinkLock<LinkFault::kTwoLinks>>(
      {.budget = 30s, .mode = "kill_in_call", .reruns = 0});
  ASSERT_EQ(report.verdict, Verdict::kFailed);
  // If the lock is claimed at the end of the epoch, nobody waits for it any more.
  EXPECT_THAT(report.failure->oracle, AnyOf(Oracle::kProgress, Oracle::kResidue));
  // The last faults that the remark names may all be holds.
  EXPECT_THAT(report.figures, Contains(Pair("processes_killed", Gt(0))));
  EXPECT_THAT(report.remarks,
              Contains(ContainsRegex("process . was (killed|held) before .* in .*lock")));
}

TEST(ProcEngine, FailsALockThatLooksAndThenRenames) {
  if (const auto why = CallWatch::why_unavailable()) GTEST_SKIP() << *why;
  const Report report = report_on<LinkLock<LinkFault::kRenamesOver>>(
      {.budget = 30s, .mode = "stop_in_call", .reruns = 0});
  ASSERT_EQ(report.verdict, Verdict::kFailed);
  EXPECT_EQ(report.failure->oracle, Oracle::kExclusion);
}

TEST(ProcEngine, FailsALockThatTakesAForkedChildForItsParent) {
  const Report report = report_on<LinkLock<LinkFault::kRemembersItself>>(
      {.budget = 30s, .mode = "forks", .reruns = 0});
  ASSERT_EQ(report.verdict, Verdict::kFailed);
  EXPECT_EQ(report.failure->oracle, Oracle::kExclusion);
}

TEST(ProcEngine, PassesTheFileLockAndSaysWhatItDid) {
  const Report report = report_on<FileLock<>>({.budget = 2s});
  EXPECT_EQ(report.verdict, Verdict::kClean) << (report.failure ? report.failure->what : "");
  for (const Oracle oracle : {Oracle::kExclusion, Oracle::kConservation, Oracle::kProgress,
                              Oracle::kResidue, Oracle::kIndependence}) {
    EXPECT_GT(report.evaluations[oracle], 0U) << name_of(oracle);
  }
  EXPECT_THAT(report.remarks, Contains(HasSubstr("at 95 % confidence (3/n)")));
}

std::string complaint_about(const Order& order, const LockLimits& limits = {}) {
  RegisteredLock entry = lock_under_test<InScratchFolder<FileLock<>>>("lock", "");
  entry.abilities.limits = limits;
  const auto report = test_lock(entry, order, [](const std::string&) {});
  EXPECT_FALSE(report.ok());
  return std::string(report.status().message());
}

TEST(ProcEngine, RefusesWhatProcessesCannotDo) {
  EXPECT_THAT(complaint_about({.program = "L0 U"}), HasSubstr("leave --program out"));
  EXPECT_THAT(complaint_about({.mode = "yields"}), HasSubstr("is no mode of the proc engine"));
  EXPECT_THAT(complaint_about({.threads = 1}), HasSubstr("say 2 to 16"));
  EXPECT_THAT(complaint_about({.mode = "recycle"}, {.no_kills = true}),
              HasSubstr("the lock promises .limits = {.no_kills = true}"));
}

}  // namespace
}  // namespace lockbench::stress::processes
