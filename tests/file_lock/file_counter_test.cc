// SPDX-License-Identifier: Apache-2.0

// FileCounter: trials of processes, what their proof lets pass and what it convicts.
#include "workloads/file_counter.h"

#include <csignal>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bench/catalog/file_lines.h"
#include "primitives/no_lock.h"
#include "tests/measure/trials.h"

namespace lockbench {
namespace {

using ::testing::HasSubstr;

using Ours = InScratchFolder<FileLock<>>;

TEST(FileCounter, CountsWhatEveryProcessAdded) {
  const Sample sample = run<Ours, FileCounter>(fixed_trial(4, 1, 200));
  EXPECT_TRUE(sample.valid()) << sample.reason;
  EXPECT_EQ(sample.operations, 800u);
  EXPECT_EQ(sample.counts, "800");
  EXPECT_EQ(sample.thread_operations_min, 200u);
  EXPECT_EQ(sample.wait->samples, 800u);
}

TEST(FileCounter, IsMeasuredByTheWindowToo) {
  const Sample sample = run<Ours, FileCounter>(timed_trial(2, 1));
  EXPECT_TRUE(sample.proven()) << sample.reason;
  EXPECT_GT(sample.operations, 0u);
  EXPECT_GE(std::stoull(sample.counts), *sample.operations);  // the warm-up counts, too
}

TEST(FileCounter, WhatItsProcessesUsedIsTheTrials) {
  Trial trial = fixed_trial(2, 1, 20);
  trial.cell.hold = {.kind = Work::Kind::kSpin, .duration = std::chrono::milliseconds(1)};
  const Sample sample = run<Ours, FileCounter>(trial);
  // 40 ms by the clock, of which a busy machine takes a part; the parent alone uses about 1 ms.
  EXPECT_GE(*sample.cpu_user_s + *sample.cpu_system_s, 0.01);
}

TEST(FileCounter, WithoutALockUpdatesAreLostAndSeen) {
  Trial trial = fixed_trial(4, 1, 100);
  trial.cell.hold = sleep_for(std::chrono::microseconds(100));
  const Sample sample = run<NoLock, FileCounter>(trial);
  EXPECT_EQ(sample.outcome, Outcome::kOk);
  EXPECT_GT(sample.lost_updates, 0u);
  EXPECT_GT(sample.violations, 0u);
}

TEST(FileCounter, AcquisitionsThatAreGivenUpAreNoLostUpdates) {
  Trial trial = fixed_trial(4, 1, 20);
  trial.cell.hold = sleep_for(std::chrono::milliseconds(1));
  trial.cell.timeout = std::chrono::microseconds(100);
  const Sample sample = run<Ours, FileCounter>(trial);
  EXPECT_TRUE(sample.valid()) << sample.reason;
  EXPECT_GT(sample.timeouts, 0u);
  EXPECT_EQ(std::stoull(sample.counts) + *sample.timeouts, 80u);
}

// A lock that ends the process that takes it.
struct Deadly : NoLock {
  struct Handle : NoLock::Handle {
    void lock() { raise(SIGKILL); }
  };
  Handle handle(std::uint64_t) { return {}; }
};

TEST(FileCounter, AProcessThatIsKilledEndsTheTrialAndIsTold) {
  const Sample sample = run<Deadly, FileCounter>(fixed_trial(2, 1, 10));
  EXPECT_EQ(sample.outcome, Outcome::kCrashed);
  EXPECT_THAT(sample.reason, HasSubstr("was ended by signal 9"));
}

// A lock that nobody gets twice.
struct OnceOnly : NoLock {
  struct Handle : NoLock::Handle {
    void lock() {
      if (taken++ != 0) pause();
    }
    int taken = 0;
  };
  Handle handle(std::uint64_t) { return {}; }
};

TEST(FileCounter, ProcessesThatWaitForGoodAreADeadlockAndAreEnded) {
  Trial trial = fixed_trial(2, 1, 10);
  trial.cell.stall_limit = std::chrono::milliseconds(200);
  const Sample sample = run<OnceOnly, FileCounter>(trial);
  EXPECT_EQ(sample.outcome, Outcome::kDeadlock);
  EXPECT_THAT(sample.reason, HasSubstr("inside an operation: threads 0, 1"));
}

TEST(NumberFile, HoldsANumberOrTellsThatItIsTorn) {
  const platform::ScratchFolder folder;
  const NumberFile file(folder.path());
  EXPECT_EQ(file.read(), 0u);
  file.write(18'446'744'073'709'551'615u);
  EXPECT_EQ(file.read(), 18'446'744'073'709'551'615u);
  std::ofstream(folder.path() + "/counter") << "42";
  EXPECT_EQ(file.read(), std::nullopt);
}

}  // namespace
}  // namespace lockbench
