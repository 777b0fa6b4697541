// SPDX-License-Identifier: Apache-2.0

// The verdicts of the engine on locks that are known to be broken, and on some that are not.
#include "harness/stress/threads/engine.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <sched.h>
#include <string>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/stress/litmus/capacity_lock.h"
#include "harness/stress/lock_adapter.h"
#include "primitives/global_lock.h"
#include "primitives/keyed_mutex.h"
#include "primitives/lease_pool.h"
#include "primitives/reentrant_lock.h"
#include "primitives/striped_lock.h"
#include "tests/mutants/forked_lock.h"
#include "tests/mutants/futex_lock.h"
#include "tests/mutants/key_table.h"
#include "tests/mutants/leases.h"
#include "tests/mutants/mutant.h"
#include "tests/mutants/nesting_lock.h"
#include "tests/mutants/preferring_lock.h"
#include "tests/mutants/real_only.h"
#include "tests/mutants/ring_lock.h"
#include "tests/mutants/spin_lock.h"
#include "tests/mutants/watchdog_lock.h"

namespace lockbench::stress::threads {
namespace {

using namespace std::chrono_literals;
using namespace lockbench::mutants;
using testing::AnyOf;
using testing::Contains;
using testing::Eq;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

template <class Base>
RegisteredLock global() {
  return lock_under_test<GlobalLock<Base>>("lock", "");
}

Report report_on(const RegisteredLock& entry, Order order) {
  order.lock = entry.name;
  auto report = test_lock(entry, order, [](const std::string&) {});
  EXPECT_TRUE(report.ok()) << report.status();
  return report.value_or(Report());
}

// A broken lock is found long before that.
const Order kSearch{.budget = 30s};
const Order kOneSearch{.budget = 30s, .reruns = 0};

testing::AssertionResult expected_oracles(Oracle oracle, const Report& report) {
  if (report.verdict != Verdict::kFailed) {
    return testing::AssertionFailure() << name_of(report.verdict);
  }
  if (report.failure->oracle != oracle) {
    return testing::AssertionFailure()
           << name_of(report.failure->oracle) << ": " << report.failure->what;
  }
  return testing::AssertionSuccess();
}

// Two may hold it. Each request is granted after a while, so all wait, and none for others.
class LateSemaphore {
 public:
  void lock() {
    std::unique_lock guard(mutex_);
    never_.wait_until(guard, std::chrono::steady_clock::now() + 120ms, [] { return false; });
    freed_.wait(guard, [this] { return free_ != 0; });
    --free_;
  }
  bool try_lock() {
    const std::scoped_lock guard(mutex_);
    if (free_ == 0) return false;
    --free_;
    return true;
  }
  void unlock() {
    const std::scoped_lock guard(mutex_);
    ++free_;
    freed_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable never_;
  std::condition_variable freed_;
  int free_ = 2;
};

// None of their holders has a word of its own in which grants could be counted.
TEST(RealEngine, DoesNotCallSeveralHoldersUnfairThatAllWait) {
  RegisteredLock entry = global<LateSemaphore>();
  entry.abilities.capacity = 2;
  entry.make = with_capacity(entry.make, 2);
  const Report report = report_on(entry, {.budget = 1s, .mode = "fairness", .reruns = 0});
  EXPECT_THAT(report.remarks, Not(Contains(HasSubstr("no fairness is promised"))));
}

// Only the thread that asks first need not wait: each request of another one sleeps, whether the
// lock is free or not, for most of an epoch.
class FavouringLock {
 public:
  void lock() {
    if (!is_favourite()) std::this_thread::sleep_for(350ms);
    mutex_.lock();
  }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  bool is_favourite() {
    pid_t favourite = 0;
    return favourite_.compare_exchange_strong(favourite, gettid()) || favourite == gettid();
  }

  std::atomic<pid_t> favourite_{0};
  std::mutex mutex_;
};

TEST(RealEngine, RemarksThatAThreadStarvesIfTheLockPromisesNoFairness) {
  const Report report =
      report_on(global<FavouringLock>(), {.budget = 3s, .mode = "fairness", .reruns = 0});
  EXPECT_EQ(report.verdict, Verdict::kClean) << (report.failure ? report.failure->what : "");
  EXPECT_EQ(report.evaluations[Oracle::kFairness], 0U);
  EXPECT_THAT(report.remarks, Contains(HasSubstr("no fairness is promised: thread ")));
  EXPECT_THAT(report.figures, Contains(Pair("longest_undisturbed_wait_ns", Gt(100e6))));
}

TEST(RealEngine, FailsAThreadThatStarvesIfTheLockPromisesFairness) {
  RegisteredLock entry = global<FavouringLock>();
  entry.abilities.fair = true;
  const Report report = report_on(entry, {.budget = 10s, .mode = "fairness", .reruns = 0});
  EXPECT_TRUE(expected_oracles(Oracle::kFairness, report));
  EXPECT_THAT(report.remarks, Not(Contains(HasSubstr("no fairness is promised"))));
}

// Room for six is promised: the two waiters that share a slot are seen if so many come.
TEST(RealEngine, FailsAQueueWithFewerSlotsThanThreads) {
  const Report report = report_on(mutants::global<RingLock<4, 6>>("lock", ""), kOneSearch);
  ASSERT_EQ(report.verdict, Verdict::kFailed);
  EXPECT_THAT(report.failure->oracle,
              AnyOf(Oracle::kFairness, Oracle::kExclusion, Oracle::kConservation));
}

TEST(RealEngine, FailsALockThatForgetsAThreadWhileOthersUseIt) {
  const Report report =
      report_on(global<PreferringLock<200>>(), {.budget = 30s, .mode = "fairness", .reruns = 0});
  EXPECT_TRUE(expected_oracles(Oracle::kProgress, report));
  EXPECT_THAT(report.failure->what, HasSubstr("got it in none of 20 pauses"));
}

TEST(RealEngine, FailsALockThatDoesNothing) {
  const Report report = report_on(global<SpinLock<SpinFault::kNothing>>(), kSearch);
  EXPECT_TRUE(expected_oracles(Oracle::kExclusion, report));
  EXPECT_THAT(report.trace, Not(IsEmpty()));
}

TEST(RealEngine, FailsALockThatGivesUpWaiting) {
  EXPECT_TRUE(expected_oracles(Oracle::kExclusion,
                               report_on(global<SpinLock<SpinFault::kGivesUp>>(), kSearch)));
}

TEST(RealEngine, FailsALockThatWakesNobody) {
  const Report report = report_on(global<FutexLock<FutexFault::kWakesNobody>>(), kSearch);
  EXPECT_TRUE(expected_oracles(Oracle::kProgress, report));
  EXPECT_THAT(report.failure->what, AnyOf(HasSubstr("which is free"), HasSubstr("which are free")));
}

TEST(RealEngine, FailsAnUnlockThatNeverReturns) {
  EXPECT_TRUE(expected_oracles(Oracle::kProgress, report_on(global<EndlessLock>(), kSearch)));
}

TEST(RealEngine, FailsALockThatAForkedChildCannotRelease) {
  const Report report =
      report_on(mutants::global<ForkedLock<ForkedFault::kTaskNumber>>("lock", ""), kOneSearch);
  EXPECT_TRUE(expected_oracles(Oracle::kProgress, report));
  EXPECT_THAT(report.failure->what, HasSubstr("forked while it held key 0"));
}

// If it is not correct, unlock() reads a member when the next thread may have destroyed the lock.
template <bool kCorrect>
class LateReader {
 public:
  static constexpr LockPromises kPromises{.survives_fork = true};
  static constexpr bool kLastMayDestroy = true;

  void lock() {
    while (!try_lock()) sched_yield();
  }
  bool try_lock() { return !held_.exchange(true, std::memory_order_acquire); }
  void unlock() {
    int kind = kind_.load(std::memory_order_relaxed);
    held_.store(false, std::memory_order_release);
    for (int i = 0; i < 20; ++i) sched_yield();
    if (!kCorrect) kind = kind_.load(std::memory_order_relaxed);
    if (kind != 1) std::abort();
  }

 private:
  std::atomic<bool> held_{false};
  std::atomic<int> kind_{1};
};

TEST(RealEngine, FailsAnUnlockThatUsesADestroyedLock) {
  const Report report = report_on(mutants::global<LateReader<false>>("lock", ""), kOneSearch);
  EXPECT_TRUE(expected_oracles(Oracle::kLifetime, report));
  EXPECT_THAT(report.failure->what, HasSubstr("had destroyed it"));
}

TEST(RealEngine, PassesALockThatSurvivesAForkAndItsDestruction) {
  const Report report = report_on(mutants::global<LateReader<true>>("lock", ""), {.budget = 600ms});
  EXPECT_EQ(report.verdict, Verdict::kClean);
  EXPECT_GT(report.evaluations[Oracle::kLifetime], 0U);
}

TEST(RealEngine, FailsATableThatForgetsNothing) {
  RegisteredLock entry = lock_under_test<KeyTable<TableFault::kNeverReclaims>>("lock", "");
  entry.abilities.reclaims = true;
  EXPECT_TRUE(expected_oracles(Oracle::kResidue, report_on(entry, kSearch)));
}

TEST(RealEngine, FailsKeysThatWaitForEachOther) {
  const Report report =
      report_on(lock_under_test<KeyTable<TableFault::kOneForAll>>("lock", ""), kSearch);
  EXPECT_EQ(report.verdict, Verdict::kFailed);
  EXPECT_THAT(report.failure->oracle, AnyOf(Oracle::kIndependence, Oracle::kModel));
}

TEST(RealEngine, FailsANestThatEndsWithItsFirstUnlock) {
  const Report report =
      report_on(lock_under_test<NestingLock<NestingFault::kFirstFreesAll>>("lock", ""), kSearch);
  ASSERT_EQ(report.verdict, Verdict::kFailed);
  EXPECT_THAT(report.failure->oracle, AnyOf(Oracle::kModel, Oracle::kExclusion));
}

TEST(RealEngine, FailsATokenThatDoesNotGrow) {
  EXPECT_TRUE(expected_oracles(
      Oracle::kToken,
      report_on(lock_under_test<WatchdogLock<WatchdogFault::kSameToken>>("lock", ""), kSearch)));
}

TEST(RealEngine, FailsHoldersOfAllLeasesThatAskForMore) {
  RegisteredLock entry = lock_under_test<Leases<LeaseFault::kNone>>("lock", "");
  entry.abilities.nests_leases = true;
  const Report report = report_on(entry, kSearch);
  EXPECT_TRUE(expected_oracles(Oracle::kCycle, report));
  EXPECT_THAT(report.failure->what, HasSubstr("threads wait for each other in a cycle"));
}

TEST(RealEngine, SurvivesALockThatCrashes) {
  const Report report = report_on(global<CrashingLock>(), kSearch);
  EXPECT_TRUE(expected_oracles(Oracle::kCrash, report));
  EXPECT_THAT(report.failure->what, HasSubstr("SIGSEGV in thread"));
}

TEST(RealEngine, SaysHowOftenAFailureCameAgain) {
  const Report report = report_on(global<CrashingLock>(), kSearch);
  EXPECT_FALSE(report.replay.exact);
  // It crashes in its fourth lock(), which each epoch comes to if all processors are busy, too.
  EXPECT_GT(report.replay.failures, 0U);
  EXPECT_LE(report.replay.failures, report.replay.reruns);
}

TEST(RealEngine, HasAFailureAgainFromModeAndSeed) {
  const RegisteredLock entry = global<CrashingLock>();
  const Report first = report_on(entry, {.budget = 30s, .seed = 7, .mode = "signals"});
  EXPECT_EQ(first.how, "signals");
  EXPECT_THAT(first.replay.options, Contains(Eq("signals")));
  // Which of its epochs that is, the machine decides.
  const auto seed = std::stoull(first.replay.options.back());
  const Report again = report_on(entry, {.budget = 30s, .seed = seed, .mode = "signals"});
  EXPECT_EQ(again.verdict, Verdict::kFailed);
}

// ---- that must be left in peace

testing::AssertionResult not_failed(const Report& report) {
  if (report.verdict == Verdict::kClean) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << name_of(report.verdict) << ": " << (report.failure ? report.failure->what : "");
}

TEST(RealEngine, PassesATestAndSetLockOnOneCore) {
  const Report report =
      report_on(global<SpinLock<SpinFault::kNone>>(), {.budget = 1s, .mode = "one_core"});
  EXPECT_TRUE(not_failed(report));
}

TEST(RealEngine, PassesALockThatIsMerelySlow) {
  EXPECT_TRUE(not_failed(report_on(global<SlowLock>(), {.budget = 2s})));
}

TEST(RealEngine, PassesALockWithoutFairnessThatGivesAFreeKeyToAThreadThatWaits) {
  EXPECT_TRUE(
      not_failed(report_on(global<PreferringLock<0>>(), {.budget = 2s, .mode = "fairness"})));
}

TEST(RealEngine, PassesOurOwn) {
  const Order order{.budget = 1s};
  EXPECT_TRUE(not_failed(report_on(global<FutexMutex>(), order)));
  EXPECT_TRUE(not_failed(report_on(lock_under_test<StripedLock<>>("striped", "", 2), order)));
  EXPECT_TRUE(not_failed(report_on(lock_under_test<KeyedMutex<>>("keyed", "", 2), order)));
  EXPECT_TRUE(not_failed(report_on(lock_under_test<ReentrantLock<>>("reentrant", ""), order)));
}

TEST(RealEngine, SaysWhatItDidWhenItFoundNothing) {
  const Report report = report_on(global<FutexMutex>(), {.budget = 1s});
  EXPECT_THAT(report.remarks, Contains(HasSubstr("at 95 % confidence (3/n)")));
  for (const Oracle oracle : {Oracle::kExclusion, Oracle::kConservation, Oracle::kModel,
                              Oracle::kProgress, Oracle::kResidue}) {
    EXPECT_GT(report.evaluations[oracle], 0U) << name_of(oracle);
  }
}

TEST(RealEngine, SaysIfNoAccessInsideOfTheLockWasDelayed) {
  RegisteredLock entry = global<FutexMutex>();
  const auto says_so = Contains(HasSubstr("not checked: delays between two accesses"));
  EXPECT_THAT(report_on(entry, {.budget = 300ms}).remarks, says_so);
  entry.make_instrumented = entry.make;
  EXPECT_THAT(report_on(entry, {.budget = 300ms}).remarks, Not(says_so));
}

TEST(RealEngine, ALookThatIsTooShortIsInconclusive) {
  EXPECT_EQ(report_on(global<FutexMutex>(), {.budget = 1ms}).verdict, Verdict::kInconclusive);
}

// ---- bad orders

std::string complaint_about(const Order& order) {
  const auto report = test_lock(global<FutexMutex>(), order, [](const std::string&) {});
  EXPECT_FALSE(report.ok());
  return std::string(report.status().message());
}

TEST(RealEngine, RefusesAModeThatThereIsNot) {
  EXPECT_THAT(complaint_about({.mode = "slow"}), HasSubstr("`slow` is no mode"));
}

TEST(RealEngine, RefusesAProgramThatAwaitsAnEnd) {
  EXPECT_THAT(complaint_about({.program = "L0 A1 U | L1 U"}), HasSubstr("leave A and X out"));
}

TEST(RealEngine, RefusesKeysBeyondTheBoard) {
  EXPECT_THAT(complaint_about({.program = "L99 U"}), HasSubstr("the highest is 62"));
}

TEST(RealEngine, RefusesNoThreadsAndTooMany) {
  EXPECT_THAT(complaint_about({.threads = 0}), HasSubstr("say 1 to 80"));
  EXPECT_THAT(complaint_about({.threads = 81}), HasSubstr("say 1 to 80"));
}

}  // namespace
}  // namespace lockbench::stress::threads
