// SPDX-License-Identifier: Apache-2.0

// What the engine of processes says of locks that are known to be broken, and of some that are not.
#include "harness/stress/proc/engine.h"

#include <chrono>
#include <csignal>
#include <sched.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/catalog/in_scratch_folder.h"
#include "harness/stress/proc/children.h"
#include "harness/stress/suspect_of.h"
#include "primitives/file_lock.h"
#include "primitives/platform/process.h"
#include "tests/mutants/link_lock.h"

namespace lockbench::stress::proc {
namespace {

using namespace std::chrono_literals;
using mutants::LinkFault;
using mutants::LinkLock;
using testing::AnyOf;
using testing::Contains;
using testing::Eq;
using testing::HasSubstr;

template <class P>
Report report_on(Order order) {
  const Lineup lineup = suspect<InScratchFolder<P>>("suspect", "");
  order.suspect = lineup.name;
  auto report = investigate(lineup, order, [](const std::string&) {});
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

TEST(ProcEngine, ConvictsATheftFromAStoppedOwner) {
  const Report report =
      report_on<LinkLock<LinkFault::kStealsFromPaused>>({.budget = 30s, .mode = "stop"});
  ASSERT_EQ(report.verdict, Verdict::kConvicted);
  EXPECT_EQ(report.finding->oracle, Oracle::kExclusion);
  EXPECT_EQ(report.how, "stop");
  EXPECT_THAT(report.replay.options, Contains(Eq("stop")));
}

TEST(ProcEngine, ConvictsALockThatADeadOwnerKeeps) {
  const Report report = report_on<LinkLock<LinkFault::kNoRecovery>>({.budget = 30s});
  ASSERT_EQ(report.verdict, Verdict::kConvicted);
  EXPECT_EQ(report.finding->oracle, Oracle::kProgress);
  // One that was killed on its way out of lock() had not yet said that it holds the key.
  EXPECT_THAT(report.finding->what,
              AnyOf(HasSubstr("which was killed"), HasSubstr("which nobody holds")));
  EXPECT_GT(report.replay.reruns, 0U);
}

TEST(ProcEngine, AcquitsTheFileLockAndSaysWhatItDid) {
  const Report report = report_on<FileLock<>>({.budget = 2s});
  EXPECT_EQ(report.verdict, Verdict::kClean) << (report.finding ? report.finding->what : "");
  for (const Oracle oracle : {Oracle::kExclusion, Oracle::kConservation, Oracle::kProgress,
                              Oracle::kResidue, Oracle::kIndependence}) {
    EXPECT_GT(report.evaluations[oracle], 0U) << name_of(oracle);
  }
  EXPECT_THAT(report.remarks, Contains(HasSubstr("at 95 % confidence (3/n)")));
}

std::string complaint_about(const Order& order) {
  const Lineup lineup = suspect<InScratchFolder<FileLock<>>>("suspect", "");
  const auto report = investigate(lineup, order, [](const std::string&) {});
  EXPECT_FALSE(report.ok());
  return std::string(report.status().message());
}

TEST(ProcEngine, RefusesWhatProcessesCannotDo) {
  EXPECT_THAT(complaint_about({.client = "L0 U"}), HasSubstr("leave --client out"));
  EXPECT_THAT(complaint_about({.mode = "yields"}), HasSubstr("is no mode of the proc engine"));
  EXPECT_THAT(complaint_about({.threads = 1}), HasSubstr("say 2 to 16"));
}

}  // namespace
}  // namespace lockbench::stress::proc
