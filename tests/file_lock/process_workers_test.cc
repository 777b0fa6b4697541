// SPDX-License-Identifier: Apache-2.0

// ProcessWorkers: workers that are processes.
#include "harness/bench/measure/process_workers.h"

#include <atomic>
#include <csignal>
#include <stdexcept>
#include <unistd.h>

#include <gtest/gtest.h>

#include "primitives/service.h"
#include "tests/file_lock/processes.h"

namespace lockbench {
namespace {

WorkerFailure failure_of(const std::function<void()>& body) {
  ProcessWorkers workers(1);
  EXPECT_EQ(workers.start(kAnyProcessor, body), "");
  workers.join();
  return workers.failure().value_or(WorkerFailure{});
}

TEST(ProcessWorkers, WorkersAreProcessesThatShareWhatIsShared) {
  platform::SharedArray<std::atomic<pid_t>> seen(3);
  ProcessWorkers workers(3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(workers.start(kAnyProcessor, [&seen, i] { seen[i] = getpid(); }), "");
  }
  workers.join();
  EXPECT_FALSE(workers.failure().has_value());
  EXPECT_NE(seen[0], getpid());
  EXPECT_NE(seen[0], seen[1]);
  EXPECT_NE(seen[1], seen[2]);
}

TEST(ProcessWorkers, AKilledWorkerIsReported) {
  EXPECT_EQ(failure_of([] { raise(SIGKILL); }).reason,
            "process 0 of the trial was ended by signal 9 (Killed)");
}

TEST(ProcessWorkers, AWorkersExceptionIsReportedWithItsText) {
  EXPECT_EQ(failure_of([] { throw std::runtime_error("the disk is full"); }).reason,
            "process 0 of the trial ended early: the disk is full");
}

TEST(ProcessWorkers, ALostServiceIsToldApartFromAnyOtherException) {
  const WorkerFailure lost = failure_of([] { throw ServiceError("the server has gone"); });
  EXPECT_TRUE(lost.service_lost);
  EXPECT_EQ(lost.reason, "the server has gone");
  EXPECT_FALSE(failure_of([] { throw std::runtime_error("the disk is full"); }).service_lost);
}

TEST(ProcessWorkers, WorkersThatStillRunEndWithTheGroup) {
  pid_t worker = 0;
  {
    platform::SharedArray<std::atomic<pid_t>> seen(1);
    ProcessWorkers workers(1);
    EXPECT_EQ(workers.start(kAnyProcessor,
                            [&seen] {
                              seen[0] = getpid();
                              pause();
                            }),
              "");
    await([&] { return seen[0] != 0; });
    worker = seen[0];
  }
  EXPECT_EQ(kill(worker, 0), -1);
}

}  // namespace
}  // namespace lockbench
