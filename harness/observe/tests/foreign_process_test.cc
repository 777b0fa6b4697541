// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/attach/foreign_process.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <pthread.h>
#include <string>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "harness/observe/attach/call_frames.h"
#include "harness/symbols/debug_information.h"

namespace lockbench {
namespace {

pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

// Calls the C library itself: of a thread that sleeps already, the frame pointer is not known, so
// callers of code with frame pointers are not found, and tests are compiled with them.
[[gnu::noinline]] void wait_for_what_is_held() {
  pthread_mutex_lock(&held);
  pthread_mutex_unlock(&held);
}

// Looks until the thread sleeps at the mutex.
FutexStack stack_of(const ForeignProcess& process, std::uint32_t thread) {
  for (;;) {
    for (FutexStack& one : process.asleep()) {
      const auto address = reinterpret_cast<std::uintptr_t>(&held);
      if (one.thread == thread && one.address == address) return std::move(one);
    }
    std::this_thread::yield();
  }
}

TEST(ForeignProcess, TheCallersOfASleepingThreadAreFound) {
  const ForeignProcess process(static_cast<std::uint32_t>(getpid()));
  std::atomic<std::uint32_t> number{0};
  pthread_mutex_lock(&held);
  std::thread waiter([&] {
    number = static_cast<std::uint32_t>(syscall(SYS_gettid));
    wait_for_what_is_held();
  });
  while (number == 0) std::this_thread::yield();
  const FutexStack found = stack_of(process, number);
  pthread_mutex_unlock(&held);
  waiter.join();
  const std::vector<stress::LoadedFile> files = process.files();
  const stress::CallFrames frames(files);
  const stress::DebugInformation information(files);
  std::vector<std::string> functions;
  for (const std::uint64_t address : frames.of(found.stack)) {
    functions.push_back(information.function_at(address - 1));
  }
  const auto waits = [](const std::string& name) {
    return name.find("wait_for_what_is_held") != std::string::npos;
  };
  EXPECT_TRUE(std::any_of(functions.begin(), functions.end(), waits))
      << testing::PrintToString(functions);
}

TEST(ForeignProcess, KnowsThisOne) {
  const ForeignProcess process(static_cast<std::uint32_t>(getpid()));
  EXPECT_TRUE(process.exists());
  EXPECT_TRUE(process.program().ends_with("observe_test"));
  EXPECT_EQ(process.parent(), static_cast<std::uint32_t>(getppid()));
  EXPECT_GE(process.threads(), 1U);
  EXPECT_GT(process.processor_s(), -1);
  EXPECT_FALSE(ForeignProcess(4'194'305).exists());
}

}  // namespace
}  // namespace lockbench
