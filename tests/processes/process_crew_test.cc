// SPDX-License-Identifier: Apache-2.0

// ProcessCrew: workers that are processes.
#include "harness/measure/process_crew.h"

#include <atomic>
#include <csignal>
#include <stdexcept>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/processes/processes.h"

namespace lockbench {
namespace {

std::string trouble_of(const std::function<void()>& body) {
  ProcessCrew crew(1);
  EXPECT_EQ(crew.start(kAnyProcessor, body), "");
  crew.join();
  return crew.trouble();
}

TEST(ProcessCrew, WorkersAreProcessesThatShareWhatIsShared) {
  platform::SharedArray<std::atomic<pid_t>> seen(3);
  ProcessCrew crew(3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(crew.start(kAnyProcessor, [&seen, i] { seen[i] = getpid(); }), "");
  }
  crew.join();
  EXPECT_EQ(crew.trouble(), "");
  EXPECT_NE(seen[0], getpid());
  EXPECT_NE(seen[0], seen[1]);
  EXPECT_NE(seen[1], seen[2]);
}

TEST(ProcessCrew, AKilledWorkerIsToldOf) {
  EXPECT_EQ(trouble_of([] { raise(SIGKILL); }),
            "process 0 of the trial was ended by signal 9 (Killed)");
}

TEST(ProcessCrew, AWorkersExceptionIsToldWithItsWords) {
  EXPECT_EQ(trouble_of([] { throw std::runtime_error("the disk is full"); }),
            "process 0 of the trial ended early: the disk is full");
}

TEST(ProcessCrew, WhoeverIsStillAtWorkEndsWithTheCrew) {
  pid_t worker = 0;
  {
    platform::SharedArray<std::atomic<pid_t>> seen(1);
    ProcessCrew crew(1);
    EXPECT_EQ(crew.start(kAnyProcessor,
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
