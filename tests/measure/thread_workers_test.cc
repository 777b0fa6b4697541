// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/thread_workers.h"

#include <atomic>
#include <sched.h>
#include <vector>

#include <gtest/gtest.h>

#include "harness/bench/measure/pinning.h"

namespace lockbench {
namespace {

TEST(ThreadWorkers, RunsEveryBodyOnce) {
  std::atomic<int> ran{0};
  ThreadWorkers workers;
  EXPECT_TRUE(workers.empty());
  for (int i = 0; i < 20; ++i) EXPECT_EQ(workers.start(kAnyProcessor, [&ran] { ++ran; }), "");
  EXPECT_FALSE(workers.empty());
  workers.join();
  EXPECT_TRUE(workers.empty());
  EXPECT_EQ(ran.load(), 20);
}

TEST(ThreadWorkers, ABoundThreadRunsOnItsProcessor) {
  for (const Processor& processor : allowed_processors()) {
    int ran_on = -1;
    ThreadWorkers workers;
    EXPECT_EQ(workers.start(processor.number, [&ran_on] { ran_on = sched_getcpu(); }), "");
    workers.join();
    EXPECT_EQ(ran_on, processor.number);
  }
}

TEST(ThreadWorkers, AStartThatFailsSaysWhy) {
  ThreadWorkers workers;
  EXPECT_EQ(workers.start(CPU_SETSIZE - 1, [] {}), "Invalid argument");
  EXPECT_TRUE(workers.empty());
}

TEST(ThreadWorkers, AThreadThatIsNotBoundMayRunWhereverTheProcessMay) {
  cpu_set_t of_process;
  ASSERT_EQ(sched_getaffinity(0, sizeof of_process, &of_process), 0);
  ThreadWorkers workers;
  std::vector<cpu_set_t> of_threads(4);
  for (cpu_set_t& set : of_threads) {
    EXPECT_EQ(workers.start(kAnyProcessor, [&set] { sched_getaffinity(0, sizeof set, &set); }), "");
  }
  workers.join();
  for (const cpu_set_t& set : of_threads) EXPECT_TRUE(CPU_EQUAL(&set, &of_process));
}

}  // namespace
}  // namespace lockbench
