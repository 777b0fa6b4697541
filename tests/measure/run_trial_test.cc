// SPDX-License-Identifier: Apache-2.0

// run_trial: trials that end by themselves.
#include "harness/bench/measure/run_trial.h"

#include <cstdlib>
#include <new>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "primitives/keyed_mutex.h"
#include "primitives/lease_pool.h"
#include "primitives/no_lock.h"
#include "tests/measure/trials.h"
#include "workloads/checkout.h"
#include "workloads/counter.h"
#include "workloads/transfer.h"

namespace lockbench {
namespace {

using std::chrono::milliseconds;
using ::testing::StartsWith;

using Keyed = KeyedMutex<>;

TEST(RunTrial, FixedWorkIsDoneByEveryThreadInFull) {
  const Sample sample = run<Keyed, Counter>(fixed_trial(3, 5, 200));
  expect_proven(sample);
  EXPECT_TRUE(sample.valid());
  EXPECT_EQ(sample.reason, "");
  EXPECT_EQ(sample.operations, 600u);
  EXPECT_EQ(sample.thread_operations_min, 200u);
  EXPECT_EQ(sample.thread_operations_max, 200u);
  EXPECT_EQ(sample.fairness_jain, 1.0);
  EXPECT_GT(sample.makespan_s.value(), 0);
  EXPECT_EQ(sample.makespan_s, sample.window_s);
  EXPECT_EQ(sample.ideal_s, std::nullopt);
  EXPECT_EQ(sample.timeouts, 0u);
  EXPECT_EQ(sample.wait.value().samples, 600u);
  EXPECT_EQ(sample.hold.value().samples, 600u);
  EXPECT_EQ(sample.pinning_held, std::nullopt);
  EXPECT_EQ(sample.lock_bytes, Keyed().lock_bytes());
  EXPECT_TRUE(sample.peak_rss_bytes.has_value());
  EXPECT_TRUE(sample.cpu_user_s.has_value());
  EXPECT_TRUE(sample.voluntary_switches.has_value());
}

TEST(RunTrial, AssignedCountsAreWhatTheCountersShow) {
  Trial trial = fixed_trial(7, 6, 3);
  trial.cell.hold = sleep_for(milliseconds(1));
  trial.cell.key_distribution = {.kind = KeyDistribution::Kind::kAssigned,
                                 .counts = {6, 2, 5, 3, 2, 3}};
  const Sample sample = run<Keyed, Counter>(trial);
  expect_proven(sample);
  EXPECT_EQ(sample.counts, "6 2 5 3 2 3");
  EXPECT_DOUBLE_EQ(sample.ideal_s.value(), 0.006);
  EXPECT_GE(sample.makespan_s.value(), sample.ideal_s.value());
}

// The counters also hold what was done while warming up.
TEST(RunTrial, TimedWorkLastsAtLeastTheWindow) {
  const Sample sample = run<Keyed, Counter>(timed_trial(2, 4));
  expect_proven(sample);
  EXPECT_GE(sample.window_s.value(), 0.02);
  EXPECT_EQ(sample.makespan_s, std::nullopt);
  EXPECT_EQ(sample.ideal_s, std::nullopt);
  EXPECT_EQ(sample.operations.value(),
            sample.thread_operations_min.value() + sample.thread_operations_max.value());
  // Those of the warm-up are not timed, but for the one of each thread that was under way when the
  // window opened, which counts and had begun before.
  const std::uint64_t timed = sample.wait ? sample.wait->samples : 0;
  EXPECT_LE(timed, *sample.operations);
  EXPECT_GE(timed + 2, *sample.operations);
}

// They sleep for longer than the window, so it closes while all of them sleep: none is late.
TEST(RunTrial, AThreadThatSleepsBetweenOperationsLeavesTheWindowWhenItCloses) {
  Trial trial = timed_trial(3, 4);
  trial.cell.think = sleep_for(milliseconds(150));
  const Sample sample = run<Keyed, Counter>(trial);
  expect_proven(sample);
  EXPECT_GE(sample.window_s.value(), 0.02);
  EXPECT_EQ(sample.overlap, 1.0);
}

// Context switches and page faults are known everywhere; hardware events, or the reason why not.
TEST(RunTrial, EventsAreCountedIfRequestedAndOnlyThen) {
  Trial trial = timed_trial(2, 2);
  const Sample without = run<Keyed, Counter>(trial);
  EXPECT_EQ(without.switches_per_operation, std::nullopt);
  EXPECT_EQ(without.events_missing, "");
  trial.cell.count_events = true;
  const Sample with = run<Keyed, Counter>(trial);
  EXPECT_TRUE(with.switches_per_operation.has_value());
  EXPECT_TRUE(with.page_faults_per_operation.has_value());
  EXPECT_NE(with.cycles_per_operation.has_value(), with.events_missing.starts_with("no hardware"));
}

TEST(RunTrial, OneThreadIsATrialToo) {
  const Sample sample = run<NoLock, Counter>(fixed_trial(1, 1, 100));
  expect_proven(sample);
  EXPECT_EQ(sample.counts, "100");
  EXPECT_EQ(sample.overlap, 1.0);
}

TEST(RunTrial, NoOperationIsTimedWhenNoneIsAskedFor) {
  Trial trial = fixed_trial(2, 4, 100);
  trial.cell.sample_every = 0;
  const Sample sample = run<Keyed, Counter>(trial);
  expect_proven(sample);
  EXPECT_EQ(sample.wait, std::nullopt);
  EXPECT_EQ(sample.hold, std::nullopt);
}

TEST(RunTrial, WithoutALockUpdatesAreLostAndTheSampleSaysHowMany) {
  Trial trial = fixed_trial(4, 1, 3);
  trial.cell.hold = sleep_for(milliseconds(5));
  const Sample sample = run<NoLock, Counter>(trial);
  EXPECT_EQ(sample.outcome, Outcome::kOk);
  EXPECT_FALSE(sample.valid());
  EXPECT_EQ(sample.operations, 12u);
  EXPECT_GT(sample.lost_updates.value(), 0u);
  EXPECT_GT(sample.violations.value(), 0u);
  EXPECT_EQ(static_cast<std::uint64_t>(std::atoi(sample.counts.c_str())) + *sample.lost_updates,
            12u);
  EXPECT_THAT(sample.reason, StartsWith("lost " + std::to_string(*sample.lost_updates) +
                                        " updates in 12 operations; "));
}

TEST(RunTrial, AcquisitionsThatAreGivenUpAreNoOperations) {
  Trial trial = fixed_trial(4, 1, 10);
  trial.cell.hold = sleep_for(milliseconds(1));
  trial.cell.timeout = Nanoseconds(1);
  const Sample sample = run<Keyed, Counter>(trial);
  expect_proven(sample);
  EXPECT_EQ(*sample.operations + *sample.timeouts, 40u);
  EXPECT_EQ(sample.counts, std::to_string(*sample.operations));
  EXPECT_EQ(sample.wait.value().samples, 40u);
  EXPECT_EQ(sample.ideal_s.has_value(), sample.timeouts == 0u);
}

TEST(RunTrial, AnyWorkloadIsProved) {
  expect_proven(run<Keyed, Transfer>(fixed_trial(3, 4, 300)));
  expect_proven(run<LeasePool, Checkout>(fixed_trial(3, 2, 300), 2u, 2u));
}

TEST(RunTrial, ThinkingIsPartOfTheWork) {
  Trial trial = fixed_trial(2, 2, 5);
  trial.cell.think = sleep_for(milliseconds(1));
  const Sample sample = run<Keyed, Counter>(trial);
  expect_proven(sample);
  EXPECT_GE(sample.makespan_s.value(), 0.005);
}

TEST(RunTrial, ManyThreadsMeetAtTheGate) {
  const Sample sample = run<Keyed, Counter>(fixed_trial(200, 16, 2));
  expect_proven(sample);
  EXPECT_EQ(sample.operations, 400u);
}

TEST(RunTrial, ThreadsCanBePinnedAndTheSampleSaysWhetherItHeld) {
  for (const char* pinning : {"compact", "scatter", "one-core"}) {
    Trial trial = fixed_trial(3, 4, 50);
    trial.cell.pinning = pinning;
    const Sample sample = run<Keyed, Counter>(trial);
    expect_proven(sample);
    EXPECT_EQ(sample.pinning_held, true);
  }
}

// No warm-up is asked for, and starting so many takes longer than the window.
TEST(RunTrial, TheWindowOpensWhenEveryThreadHasEndedAnOperation) {
  Trial trial = timed_trial(20, 1);
  trial.cell.hold = sleep_for(milliseconds(1));
  trial.cell.warmup = Nanoseconds(0);
  trial.cell.window = milliseconds(1);
  const Sample sample = run<Keyed, Counter>(trial);
  expect_proven(sample);
  const auto updates = static_cast<std::uint64_t>(std::atoi(sample.counts.c_str()));
  EXPECT_GE(updates, *sample.operations + 20);
}

TEST(RunTrial, AProcessorThatIsNotThereIsAFailureWithItsReason) {
  Trial trial = fixed_trial(2, 4, 50);
  trial.cell.pinning = "1023";
  const Sample sample = run<Keyed, Counter>(trial);
  EXPECT_EQ(sample.outcome, Outcome::kFailed);
  EXPECT_FALSE(sample.valid());
  EXPECT_THAT(sample.reason, StartsWith("pinning names processor 1023; usable are only "));
  EXPECT_EQ(sample.operations, std::nullopt);
}

TEST(RunTrial, MemoryThatIsNotThereIsAFailureWithItsReason) {
  const Sample sample = run_trial(fixed_trial(2, 4, 50),
                                  []() -> std::unique_ptr<Subject> { throw std::bad_alloc(); });
  EXPECT_EQ(sample.outcome, Outcome::kFailed);
  EXPECT_EQ(sample.reason, "not enough memory for 2 threads and 4 keys");
}

}  // namespace
}  // namespace lockbench
