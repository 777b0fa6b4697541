// SPDX-License-Identifier: Apache-2.0

#include "harness/measure/thread_crew.h"

#include <atomic>
#include <sched.h>
#include <vector>

#include <gtest/gtest.h>

#include "harness/measure/pinning.h"

namespace lockbench {
namespace {

TEST(ThreadCrew, RunsEveryBodyOnce) {
  std::atomic<int> ran{0};
  ThreadCrew crew;
  EXPECT_TRUE(crew.empty());
  for (int i = 0; i < 20; ++i) EXPECT_EQ(crew.start(kAnyProcessor, [&ran] { ++ran; }), "");
  EXPECT_FALSE(crew.empty());
  crew.join();
  EXPECT_TRUE(crew.empty());
  EXPECT_EQ(ran.load(), 20);
}

TEST(ThreadCrew, ABoundThreadRunsOnItsProcessor) {
  for (const Processor& processor : allowed_processors()) {
    int ran_on = -1;
    ThreadCrew crew;
    EXPECT_EQ(crew.start(processor.number, [&ran_on] { ran_on = sched_getcpu(); }), "");
    crew.join();
    EXPECT_EQ(ran_on, processor.number);
  }
}

TEST(ThreadCrew, AStartThatFailsSaysWhy) {
  ThreadCrew crew;
  EXPECT_EQ(crew.start(CPU_SETSIZE - 1, [] {}), "Invalid argument");
  EXPECT_TRUE(crew.empty());
}

TEST(ThreadCrew, AThreadThatIsNotBoundMayRunWhereverTheProcessMay) {
  cpu_set_t of_process;
  ASSERT_EQ(sched_getaffinity(0, sizeof of_process, &of_process), 0);
  ThreadCrew crew;
  std::vector<cpu_set_t> of_threads(4);
  for (cpu_set_t& set : of_threads) {
    EXPECT_EQ(crew.start(kAnyProcessor, [&set] { sched_getaffinity(0, sizeof set, &set); }), "");
  }
  crew.join();
  for (const cpu_set_t& set : of_threads) EXPECT_TRUE(CPU_EQUAL(&set, &of_process));
}

}  // namespace
}  // namespace lockbench
