// SPDX-License-Identifier: Apache-2.0

// What the engine says of locks that are known to be broken, and of some that are not.
#include "harness/stress/real/engine.h"

#include <chrono>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/stress/suspect_of.h"
#include "primitives/global_lock.h"
#include "primitives/keyed_mutex.h"
#include "primitives/lease_pool.h"
#include "primitives/reentrant_lock.h"
#include "primitives/striped_lock.h"
#include "tests/mutants/futex_lock.h"
#include "tests/mutants/key_table.h"
#include "tests/mutants/leases.h"
#include "tests/mutants/nesting_lock.h"
#include "tests/mutants/real_only.h"
#include "tests/mutants/spin_lock.h"
#include "tests/mutants/watchdog_lock.h"

namespace lockbench::stress::real {
namespace {

using namespace std::chrono_literals;
using namespace lockbench::mutants;
using testing::AnyOf;
using testing::Contains;
using testing::Eq;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

template <class Base>
Lineup global() {
  return suspect<GlobalLock<Base>>("suspect", "");
}

Report report_on(const Lineup& lineup, Order order) {
  order.suspect = lineup.name;
  auto report = investigate(lineup, order, [](const std::string&) {});
  EXPECT_TRUE(report.ok()) << report.status();
  return report.value_or(Report());
}

// What is broken is found long before that.
constexpr Order kHunt{.budget = 30s};

testing::AssertionResult convicted_by(Oracle oracle, const Report& report) {
  if (report.verdict != Verdict::kConvicted) {
    return testing::AssertionFailure() << name_of(report.verdict);
  }
  if (report.finding->oracle != oracle) {
    return testing::AssertionFailure()
           << name_of(report.finding->oracle) << ": " << report.finding->what;
  }
  return testing::AssertionSuccess();
}

TEST(RealEngine, ConvictsALockThatDoesNothing) {
  const Report report = report_on(global<SpinLock<SpinFault::kNothing>>(), kHunt);
  EXPECT_TRUE(convicted_by(Oracle::kExclusion, report));
  EXPECT_THAT(report.story, Not(IsEmpty()));
}

TEST(RealEngine, ConvictsALockThatGivesUpWaiting) {
  EXPECT_TRUE(
      convicted_by(Oracle::kExclusion, report_on(global<SpinLock<SpinFault::kGivesUp>>(), kHunt)));
}

TEST(RealEngine, ConvictsALockThatWakesNobody) {
  const Report report = report_on(global<FutexLock<FutexFault::kWakesNobody>>(), kHunt);
  EXPECT_TRUE(convicted_by(Oracle::kProgress, report));
  EXPECT_THAT(report.finding->what, HasSubstr("which is free"));
}

TEST(RealEngine, ConvictsAnUnlockThatNeverReturns) {
  EXPECT_TRUE(convicted_by(Oracle::kProgress, report_on(global<EndlessLock>(), kHunt)));
}

TEST(RealEngine, ConvictsATableThatForgetsNothing) {
  Lineup lineup = suspect<KeyTable<TableFault::kNeverReclaims>>("suspect", "");
  lineup.abilities.reclaims = true;
  EXPECT_TRUE(convicted_by(Oracle::kResidue, report_on(lineup, kHunt)));
}

TEST(RealEngine, ConvictsKeysThatWaitForEachOther) {
  const Report report = report_on(suspect<KeyTable<TableFault::kOneForAll>>("suspect", ""), kHunt);
  EXPECT_EQ(report.verdict, Verdict::kConvicted);
  EXPECT_THAT(report.finding->oracle, AnyOf(Oracle::kIndependence, Oracle::kModel));
}

TEST(RealEngine, ConvictsANestThatEndsWithItsFirstUnlock) {
  EXPECT_TRUE(convicted_by(
      Oracle::kModel,
      report_on(suspect<NestingLock<NestingFault::kFirstFreesAll>>("suspect", ""), kHunt)));
}

TEST(RealEngine, ConvictsATokenThatDoesNotGrow) {
  EXPECT_TRUE(convicted_by(
      Oracle::kToken,
      report_on(suspect<WatchdogLock<WatchdogFault::kSameToken>>("suspect", ""), kHunt)));
}

TEST(RealEngine, ConvictsHoldersOfAllLeasesThatAskForMore) {
  Lineup lineup = suspect<Leases<LeaseFault::kNone>>("suspect", "");
  lineup.abilities.nests_leases = true;
  const Report report = report_on(lineup, kHunt);
  EXPECT_TRUE(convicted_by(Oracle::kCycle, report));
  EXPECT_THAT(report.finding->what, HasSubstr("threads wait in a circle"));
}

TEST(RealEngine, SurvivesALockThatCrashes) {
  const Report report = report_on(global<CrashingLock>(), kHunt);
  EXPECT_TRUE(convicted_by(Oracle::kCrash, report));
  EXPECT_THAT(report.finding->what, HasSubstr("SIGSEGV in thread"));
}

TEST(RealEngine, SaysHowOftenAConvictionCameAgain) {
  const Report report = report_on(global<CrashingLock>(), kHunt);
  EXPECT_FALSE(report.replay.exact);
  // It crashes in its hundredth lock(), which on a busy machine an epoch may not come to.
  EXPECT_GT(report.replay.failures, 0U);
  EXPECT_LE(report.replay.failures, report.replay.reruns);
}

TEST(RealEngine, HasAConvictionAgainFromModeAndSeed) {
  const Lineup lineup = global<CrashingLock>();
  const Report first = report_on(lineup, {.budget = 30s, .seed = 7, .mode = "signals"});
  EXPECT_EQ(first.how, "signals");
  EXPECT_THAT(first.replay.options, Contains(Eq("signals")));
  // Which of its epochs that is, the machine decides.
  const auto seed = std::stoull(first.replay.options.back());
  const Report again = report_on(lineup, {.budget = 30s, .seed = seed, .mode = "signals"});
  EXPECT_EQ(again.verdict, Verdict::kConvicted);
}

// ---- that must be left in peace

testing::AssertionResult not_convicted(const Report& report) {
  if (report.verdict == Verdict::kClean || report.verdict == Verdict::kFairness) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure()
         << name_of(report.verdict) << ": " << (report.finding ? report.finding->what : "");
}

TEST(RealEngine, AcquitsATestAndSetLockOnOneCore) {
  const Report report =
      report_on(global<SpinLock<SpinFault::kNone>>(), {.budget = 1s, .mode = "one_core"});
  EXPECT_TRUE(not_convicted(report));
}

TEST(RealEngine, AcquitsALockThatIsMerelySlow) {
  EXPECT_TRUE(not_convicted(report_on(global<SlowLock>(), {.budget = 2s})));
}

TEST(RealEngine, AcquitsOurOwn) {
  const Order order{.budget = 1s};
  EXPECT_TRUE(not_convicted(report_on(global<FutexMutex>(), order)));
  EXPECT_TRUE(not_convicted(report_on(suspect<StripedLock<>>("striped", "", 2), order)));
  EXPECT_TRUE(not_convicted(report_on(suspect<KeyedMutex<>>("keyed", "", 2), order)));
  EXPECT_TRUE(not_convicted(report_on(suspect<ReentrantLock<>>("reentrant", ""), order)));
}

TEST(RealEngine, SaysWhatItDidWhenItFoundNothing) {
  const Report report = report_on(global<FutexMutex>(), {.budget = 1s});
  EXPECT_THAT(report.remarks, Contains(HasSubstr("at 95 % confidence (3/n)")));
  for (const Oracle oracle : {Oracle::kExclusion, Oracle::kConservation, Oracle::kModel,
                              Oracle::kProgress, Oracle::kResidue, Oracle::kFairness}) {
    EXPECT_GT(report.evaluations[oracle], 0U) << name_of(oracle);
  }
}

TEST(RealEngine, ALookThatIsTooShortIsInconclusive) {
  EXPECT_EQ(report_on(global<FutexMutex>(), {.budget = 1ms}).verdict, Verdict::kInconclusive);
}

// ---- bad orders

std::string complaint_about(const Order& order) {
  const auto report = investigate(global<FutexMutex>(), order, [](const std::string&) {});
  EXPECT_FALSE(report.ok());
  return std::string(report.status().message());
}

TEST(RealEngine, RefusesAModeThatThereIsNot) {
  EXPECT_THAT(complaint_about({.mode = "slow"}), HasSubstr("`slow` is no mode"));
}

TEST(RealEngine, RefusesAClientThatAwaitsAnEnd) {
  EXPECT_THAT(complaint_about({.client = "L0 A1 U | L1 U"}), HasSubstr("leave A out"));
}

TEST(RealEngine, RefusesKeysBeyondTheBoard) {
  EXPECT_THAT(complaint_about({.client = "L9 U"}), HasSubstr("the highest is 6"));
}

TEST(RealEngine, RefusesNoThreadsAndTooMany) {
  EXPECT_THAT(complaint_about({.threads = 0}), HasSubstr("say 1 to 32"));
  EXPECT_THAT(complaint_about({.threads = 33}), HasSubstr("say 1 to 32"));
}

}  // namespace
}  // namespace lockbench::stress::real
