// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <ctime>
#include <latch>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "harness/stress/supervision/stall_detector.h"

namespace lockbench::stress::threads {
namespace {

TEST(TaskState, IsReadBehindANameThatLooksLikeIt) {
  const auto state = task_state_from("77 (a) R 1 (b) S 1 2 3 4 5 6 7 8 9 10 30 12 0 0");
  ASSERT_TRUE(state);
  EXPECT_FALSE(state->runnable);
  EXPECT_EQ(state->cpu_ticks, 42U);
}

TEST(TaskState, TellsWhomADiskHoldsUpOrSomebodyStopped) {
  EXPECT_TRUE(task_state_from("77 (a) D 1 2 3 4 5 6 7 8 9 10 30 12 0 0")->held_up);
  EXPECT_TRUE(task_state_from("77 (a) T 1 2 3 4 5 6 7 8 9 10 30 12 0 0")->held_up);
  EXPECT_FALSE(task_state_from("77 (a) S 1 2 3 4 5 6 7 8 9 10 30 12 0 0")->held_up);
}

TEST(TaskState, OfTheThreadThatAsksIsRunnable) {
  const auto state = task_state(getpid(), gettid());
  ASSERT_TRUE(state);
  EXPECT_TRUE(state->runnable);
}

TEST(TaskState, OfNobodyIsAbsent) {
  EXPECT_FALSE(task_state_from(""));
  EXPECT_FALSE(task_state_from("77 (a) S 1 2"));
  EXPECT_FALSE(task_state(getpid(), getppid()));
}

// A thread that sleeps until the test lets it go.
class Sleeper {
 public:
  Sleeper() {
    while (task_ == 0) std::this_thread::yield();
    while (task_state(getpid(), task_)->runnable) std::this_thread::yield();
  }
  ~Sleeper() {
    over_.count_down();
    thread_.join();
  }

  pid_t task() const { return task_; }

 private:
  std::latch over_{1};
  std::atomic<pid_t> task_{0};
  std::thread thread_{[this] {
    task_ = gettid();
    over_.wait();
  }};
};

TEST(StallDetector, IsReachedByThreadsThatSleepAndTellNothingAtTwoLooks) {
  const Sleeper sleeper;
  StallDetector stall(StallDetector::Clock::duration::zero());
  EXPECT_FALSE(stall.reached(1, getpid(), {sleeper.task()}));
  EXPECT_FALSE(stall.reached(1, getpid(), {sleeper.task()}));
  EXPECT_TRUE(stall.reached(1, getpid(), {sleeper.task()}));
}

TEST(StallDetector, BeginsAnewWhenSomethingIsTold) {
  const Sleeper sleeper;
  StallDetector stall(StallDetector::Clock::duration::zero());
  EXPECT_FALSE(stall.reached(1, getpid(), {sleeper.task()}));
  EXPECT_FALSE(stall.reached(1, getpid(), {sleeper.task()}));
  EXPECT_FALSE(stall.reached(2, getpid(), {sleeper.task()}));
  EXPECT_FALSE(stall.reached(2, getpid(), {sleeper.task()}));
}

// As after Ctrl-Z and fg: all were stopped, those who look included.
TEST(StallDetector, IsNotReachedByATimeInWhichNobodyLooked) {
  const Sleeper sleeper;
  const auto began = StallDetector::Clock::now();
  StallDetector stall(std::chrono::seconds(1));
  const auto reached_at = [&](StallDetector::Clock::duration after) {
    return stall.reached(1, getpid(), {sleeper.task()}, began + after);
  };
  EXPECT_FALSE(reached_at({}));
  for (int look = 1; look <= 10; ++look) EXPECT_FALSE(reached_at(std::chrono::hours(look)));
}

TEST(StallDetector, IsNotReachedByAThreadThatIsNotGivenAProcessor) {
  // This thread is runnable, and has had no 20 ms since the first look.
  StallDetector stall(StallDetector::Clock::duration::zero());
  for (int look = 0; look < 3; ++look) EXPECT_FALSE(stall.reached(1, getpid(), {gettid()}));
}

// A sleeper that another thread is to wake, which is not given a processor.
TEST(StallDetector, IsNotReachedWhileOneOfTheThreadsHasNoProcessor) {
  const Sleeper sleeper;
  StallDetector stall(StallDetector::Clock::duration::zero());
  for (int look = 0; look < 3; ++look) {
    EXPECT_FALSE(stall.reached(1, getpid(), {sleeper.task(), gettid()}));
  }
}

// This thread was not there at the first look, and runs.
TEST(StallDetector, IsReachedByAThreadThatBeganLater) {
  StallDetector stall(StallDetector::Clock::duration::zero());
  EXPECT_FALSE(stall.reached(1, getpid(), {}));
  const std::clock_t end = std::clock() + 2 * CLOCKS_PER_SEC;  // of processor time
  bool reached = false;
  while (!reached && std::clock() < end) reached = stall.reached(1, getpid(), {gettid()});
  EXPECT_TRUE(reached);
}

}  // namespace
}  // namespace lockbench::stress::threads
