// SPDX-License-Identifier: Apache-2.0

// run_trial: trials in which operations are due at a rate. How many there are follows from the
// schedule; which of them had their turn is the machine's business.
#include <cstdlib>

#include <gtest/gtest.h>

#include "primitives/keyed_mutex.h"
#include "tests/measure/trials.h"
#include "workloads/counter.h"

namespace lockbench {
namespace {

using std::chrono::milliseconds;

using Keyed = KeyedMutex<>;

// `rate_per_s` even arrivals; 10 ms of warm-up, 50 ms of window.
Trial open_trial(std::uint32_t threads, std::uint64_t keys, std::uint64_t rate_per_s) {
  Trial trial = timed_trial(threads, keys);
  trial.cell.mode = Mode::kOpen;
  trial.cell.rate_per_s = rate_per_s;
  trial.cell.arrivals = ArrivalKind::kFixed;
  trial.cell.warmup = milliseconds(10);
  trial.cell.window = milliseconds(50);
  return trial;
}

TEST(OpenTrial, EveryArrivalOfTheWindowIsServedOrUnservedAndHasItsWait) {
  const Sample sample = run<Keyed, Counter>(open_trial(2, 4, 1000));
  expect_proven(sample);
  EXPECT_EQ(*sample.operations + sample.unserved.value(), 50u);
  EXPECT_EQ(sample.wait.value().samples, 50u);
  EXPECT_EQ(sample.hold ? sample.hold->samples : 0, sample.operations);
}

TEST(OpenTrial, ArrivalsAtRandomFollowFromTheSeed) {
  Trial trial = open_trial(2, 4, 1000);
  trial.cell.arrivals = ArrivalKind::kPoisson;
  const Sample one = run<Keyed, Counter>(trial);
  const Sample other = run<Keyed, Counter>(trial);
  expect_proven(one);
  EXPECT_EQ(*one.operations + *one.unserved, *other.operations + *other.unserved);
  EXPECT_GT(*one.operations + *one.unserved, 0u);
}

// 10 operations in 50 ms are possible, 50 are due.
TEST(OpenTrial, ALockThatDoesNotKeepUpLeavesArrivalsUnservedAndTheirWaitsTell) {
  Trial trial = open_trial(2, 1, 1000);
  trial.cell.hold = sleep_for(milliseconds(5));
  const Sample sample = run<Keyed, Counter>(trial);
  expect_proven(sample);
  EXPECT_GT(sample.unserved.value(), 0u);
  EXPECT_EQ(*sample.operations + *sample.unserved, 50u);
  EXPECT_EQ(sample.wait.value().samples, 50u);
  EXPECT_GT(sample.wait->max_ns, 5e6);
  EXPECT_TRUE(sample.overlap.has_value());
}

// Thread 0 is due once, at the opening, and thread 1 never.
TEST(OpenTrial, ThreadsWithNothingMoreDueStayUntilTheWindowCloses) {
  Trial trial = open_trial(2, 1, 10);
  trial.cell.warmup = Nanoseconds(0);
  const Sample sample = run<Keyed, Counter>(trial);
  expect_proven(sample);
  EXPECT_EQ(*sample.operations + *sample.unserved, 1u);
  EXPECT_EQ(sample.thread_operations_min, 0u);
  EXPECT_GE(sample.window_s.value(), 0.05);
  EXPECT_TRUE(sample.overlap.has_value());
}

TEST(OpenTrial, AcquisitionsThatAreGivenUpBeforeTheWindowCountNowhere) {
  Trial trial = open_trial(4, 1, 4000);
  trial.cell.hold = sleep_for(milliseconds(1));
  trial.cell.timeout = Nanoseconds(1);
  const Sample sample = run<Keyed, Counter>(trial);
  expect_proven(sample);
  EXPECT_EQ(*sample.operations + *sample.timeouts + *sample.unserved, 200u);
}

// 10 of the counter's updates may be of the warm-up, no more.
TEST(OpenTrial, ArrivalsOfTheWarmUpAreNoOperations) {
  const Sample sample = run<Keyed, Counter>(open_trial(2, 1, 1000));
  expect_proven(sample);
  const auto updates = static_cast<std::uint64_t>(std::atoi(sample.counts.c_str()));
  EXPECT_GE(updates, *sample.operations);
  EXPECT_LE(updates, *sample.operations + 10);
}

}  // namespace
}  // namespace lockbench
