// SPDX-License-Identifier: Apache-2.0

// run_trial: trials that do not end by themselves. Each leaves threads behind, so each runs in a
// process that is left by _exit(), as the caller of run_trial() must.
#include <cstdio>
#include <fstream>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>

#include "harness/bench/measure/run_trial.h"
#include "primitives/keyed_mutex.h"
#include "primitives/lease_pool.h"
#include "primitives/no_lock.h"
#include "tests/measure/trials.h"
#include "workloads/checkout.h"
#include "workloads/counter.h"

namespace lockbench {
namespace {

using std::chrono::milliseconds;

class StuckTrial : public ::testing::Test {
 protected:
  StuckTrial() { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

// Asks of nobody whether its second lease can ever come.
using WaitingPool = BasicLeasePool<LeaseOrder::kUnordered, LeaseNesting::kWait>;

// Holders of the only lease who ask for a second one.
template <class Pool = WaitingPool>
Sample wait_for_second_lease(Trial trial) {
  trial.cell.stall_limit = milliseconds(500);
  return run_with<Pool, Checkout<Pool, std::uint64_t>>(trial, "second_lease", 1u, 1u);
}

TEST_F(StuckTrial, ThreadsThatWaitForGoodAreADeadlockAndAreNamed) {
  for (const auto& [threads, named] : {std::pair(1u, "0, of 1$"),
                                       {3u, "0, 1, 2, of 3$"},
                                       {11u, "0, 1, 2, 3, 4, 5, 6, 7 and 3 more, of 11$"}}) {
    EXPECT_EXIT(leave_with(wait_for_second_lease(fixed_trial(threads, 1, 10))),
                ended_as(Outcome::kDeadlock),
                std::string("^no thread ended an operation for 0.5 s while measuring; "
                            "inside an operation: threads ") +
                    named);
  }
}

// A pool that tells when it is destroyed.
struct MournedPool : WaitingPool {
  using WaitingPool::WaitingPool;
  ~MournedPool() { std::fputs("destroyed; ", stderr); }
};

TEST_F(StuckTrial, WhatThreadsAreInsideOfStaysBehind) {
  EXPECT_EXIT(leave_with(wait_for_second_lease<MournedPool>(fixed_trial(1, 1, 1))),
              ended_as(Outcome::kDeadlock), "^no thread");
}

TEST_F(StuckTrial, WhatNobodyIsInsideOfDoesNotStayBehind) {
  Trial misplaced = fixed_trial(1, 1, 1);
  misplaced.cell.pinning = "1023";
  EXPECT_EXIT(leave_with(wait_for_second_lease<MournedPool>(misplaced)), ended_as(Outcome::kFailed),
              "^destroyed; pinning");
}

// Its threads do not come to the gate.
class Truant final : public Subject {
 public:
  void work(std::uint32_t, TrialPhases&, ThreadReport&) override {
    for (;;) pause();
  }
  Proof prove() override { return {}; }
  std::optional<HoldBound> hold_bound() const override { return std::nullopt; }
  std::uint32_t capacity() const override { return 1; }
  std::optional<std::size_t> lock_bytes() const override { return 0; }
  std::optional<ServiceUse> service_use() override { return std::nullopt; }
  std::optional<double> false_conflicts() const override { return std::nullopt; }
  std::optional<KeyBytes> key_bytes() override { return std::nullopt; }
};

TEST_F(StuckTrial, ThreadsThatDoNotComeToTheGateAreNoticed) {
  for (const Mode mode : {Mode::kFixed, Mode::kOpen}) {
    const auto stuck = [mode] {
      Trial trial = fixed_trial(2, 1, 1);
      trial.cell.mode = mode;
      trial.cell.stall_limit = milliseconds(200);
      return run_trial(trial, [] { return std::make_unique<Truant>(); });
    };
    EXPECT_EXIT(leave_with(stuck()), ended_as(Outcome::kDeadlock),
                "^no thread ended an operation for 0.2 s while starting; "
                "inside an operation: threads 0, 1, of 2$");
  }
}

TEST_F(StuckTrial, ADeadlockIsNoticedWhileWarmingUpToo) {
  EXPECT_EXIT(leave_with(wait_for_second_lease(timed_trial(2, 1))), ended_as(Outcome::kDeadlock),
              "while warming up; inside an operation: threads 0, 1, of 2$");
}

TEST_F(StuckTrial, ProgressThatTakesTooLongIsATimeout) {
  const auto slow = [] {
    Trial trial = fixed_trial(2, 4, 1'000'000);
    trial.cell.hold = sleep_for(milliseconds(1));
    trial.cell.time_limit = milliseconds(300);
    return run<KeyedMutex<>, Counter>(trial);
  };
  EXPECT_EXIT(leave_with(slow()), ended_as(Outcome::kTimeout),
              "^still measuring after 0.3 s; inside an operation: threads 0, 1, of 2$");
}

// Its first thread never gets the lock, the others always do.
class Unfair final : public Subject {
 public:
  void work(std::uint32_t thread, TrialPhases& phases, ThreadReport& report) override {
    report.begun.store(true);
    if (thread == 0) {
      for (;;) pause();
    }
    phases.arrive();
    for (;;) {
      report.attempts.fetch_add(1);
      sched_yield();
    }
  }
  Proof prove() override { return {}; }
  std::optional<HoldBound> hold_bound() const override { return std::nullopt; }
  std::uint32_t capacity() const override { return 1; }
  std::optional<std::size_t> lock_bytes() const override { return 0; }
  std::optional<ServiceUse> service_use() override { return std::nullopt; }
  std::optional<double> false_conflicts() const override { return std::nullopt; }
  std::optional<KeyBytes> key_bytes() override { return std::nullopt; }
};

TEST_F(StuckTrial, AThreadThatDoesNotGetTheLockWhileOthersDoIsStarved) {
  const auto starved = [] {
    Trial trial = timed_trial(2, 1);
    trial.cell.stall_limit = milliseconds(400);
    trial.cell.time_limit = milliseconds(900);
    const Sample sample = run_trial(trial, [] { return std::make_unique<Unfair>(); });
    if (sample.starved_s < 0.2 || sample.starved_s > 60) std::fputs("out of range; ", stderr);
    return sample;
  };
  EXPECT_EXIT(leave_with(starved()), ended_as(Outcome::kStarved),
              "^a thread did not get the lock for at least [0-9.]+ s, in which the others ended "
              "[0-9]+ operations?; still warming up after 0.9 s; inside an operation: threads 0, "
              "1, of 2$");
}

// The sanitizers themselves need more address space than such a limit leaves.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// The memory that this process has mapped now, in bytes.
rlim_t address_space() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

TEST_F(StuckTrial, ThreadsThatCannotBeStartedAreAFailureWithItsReason) {
  const auto crowded = [] {
    // Room for two stacks and a half: the rest is left for what is no stack. Without arenas of
    // their own, the threads need nothing else that is large.
    constexpr rlim_t kStack = 64 << 20;
    mallopt(M_ARENA_MAX, 1);
    pthread_attr_t large;
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, kStack);
    pthread_setattr_default_np(&large);
    const rlim_t most = address_space() + 5 * kStack / 2;
    const rlimit limit{.rlim_cur = most, .rlim_max = most};
    setrlimit(RLIMIT_AS, &limit);
    return run<NoLock, Counter>(fixed_trial(3000, 1, 1));
  };
  EXPECT_EXIT(leave_with(crowded()), ended_as(Outcome::kFailed),
              "^thread [0-9]+ of 3000 could not be started: Resource temporarily unavailable; "
              "raise `ulimit -u`");
}
#endif

}  // namespace
}  // namespace lockbench
