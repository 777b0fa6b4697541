// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/scheduling.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace lockbench {
namespace {

WindowOfWorkers window_of(std::uint32_t workers, std::uint32_t processors,
                          const std::vector<WorkerShare>& used) {
  double ran_s = 0;
  for (const WorkerShare& one : used) ran_s += one.ran_s;
  return {.workers = workers,
          .processors = processors,
          .window_s = 1,
          .process_s = ran_s,
          .used = used};
}

TEST(Schedstat, TheSecondNumberIsTheDelay) {
  EXPECT_EQ(internal::delay_in("5 1500000000 7\n"), 1.5);
  EXPECT_EQ(internal::delay_in("5 0 7\n"), 0.0);
  for (const char* const wrong : {"", "5", "5 ", "5 x 7"}) {
    EXPECT_EQ(internal::delay_in(wrong), std::nullopt) << wrong;
  }
}

TEST(WorkerShares, ADelayThatBeganBeforeTheWindowIsCutToIt) {
  const Scheduled before{.ran_s = 10, .delayed_s = 20};
  const auto share = share_between(before, {.ran_s = 10.25, .delayed_s = 23}, 1);
  ASSERT_TRUE(share.has_value());
  EXPECT_EQ(share->ran_s, 0.25);
  EXPECT_EQ(share->delayed_s, 0.75);
}

TEST(WorkerShares, WithoutAReadingThereIsNone) {
  const Scheduled known{.ran_s = 1, .delayed_s = 1};
  EXPECT_FALSE(share_between({}, known, 1).has_value());
  EXPECT_FALSE(share_between(known, {}, 1).has_value());
}

TEST(RunDelay, IsThatOfTheWorkerThatWaitedLongest) {
  const std::vector<WorkerShare> used{{.ran_s = 1, .delayed_s = 0},
                                      {.ran_s = 0.7, .delayed_s = 0.3}};
  EXPECT_EQ(run_delay_share(window_of(2, 2, used)), 0.3);
  EXPECT_EQ(run_delay_share(window_of(2, 2, {})), std::nullopt);
}

TEST(DeniedTime, UpToAsManyWorkersAsProcessorsEveryDelayIsDenied) {
  const std::vector<WorkerShare> used{{.ran_s = 1, .delayed_s = 0},
                                      {.ran_s = 0.5, .delayed_s = 0.5}};
  EXPECT_DOUBLE_EQ(denied_cpu_share(window_of(2, 4, used)).value(), 0.25);
}

TEST(DeniedTime, WorkersThatWaitForEachOtherAreDeniedNothing) {
  const std::vector<WorkerShare> used(8, {.ran_s = 0.25, .delayed_s = 0.75});
  EXPECT_DOUBLE_EQ(denied_cpu_share(window_of(8, 2, used)).value(), 0);
}

TEST(DeniedTime, WhatManyWorkersMissOfTheProcessorsIsDenied) {
  // Others used half a processor of two.
  const std::vector<WorkerShare> used(8, {.ran_s = 1.5 / 8, .delayed_s = 1 - 1.5 / 8});
  EXPECT_DOUBLE_EQ(denied_cpu_share(window_of(8, 2, used)).value(), 0.25);
}

TEST(DeniedTime, WhatTheProcessItselfTookIsNotDenied) {
  WindowOfWorkers window;
  const std::vector<WorkerShare> used(2, {.ran_s = 0.75, .delayed_s = 0.25});
  window = window_of(2, 2, used);
  window.process_s += 0.5;  // another thread of the process
  EXPECT_DOUBLE_EQ(denied_cpu_share(window).value(), 0);
}

TEST(DeniedTime, OfWorkersThatWereNotReadTheProcessKnowsWhatTheyRan) {
  const std::vector<WorkerShare> used(4, {.ran_s = 0, .delayed_s = 1});
  WindowOfWorkers window = window_of(400, 2, used);
  window.process_s = 2;
  EXPECT_LT(denied_cpu_share(window).value(), 0.01);
  window.process_s = 1;
  EXPECT_NEAR(denied_cpu_share(window).value(), 0.5, 0.01);
}

TEST(Scheduling, AThreadIsReadByAnotherOne) {
  WorkerId worker;
  Scheduled read;
  std::thread([&] {
    worker = WorkerId::of_caller(false);
    std::thread([&] { read = Scheduled::now(worker); }).join();
  }).join();
  EXPECT_TRUE(read.ran_s.has_value());
  EXPECT_FALSE(Scheduled::now({}).ran_s.has_value());
}

}  // namespace
}  // namespace lockbench
