// SPDX-License-Identifier: Apache-2.0

// A waiter that has lost its patience is given what comes back. On Linux, which says whether a
// thread is asleep.
#include <atomic>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "primitives/internal/handovers.h"
#include "primitives/internal/wait_queue.h"
#include "tests/primitives/contract.h"
#include "tests/primitives/threads.h"

namespace lockbench {
namespace {

// Only our own queueing primitives promise it.
class Handoff : public ContractTest {};
INSTANTIATE_TEST_SUITE_P(Of, Handoff, candidates_where([](const Candidate& c) {
                           return c.name == "lease_fifo" || c.name == "keyed_limited" ||
                                  c.name == "lease" || c.name == "lease_wait" ||
                                  c.name == "keyed" || c.name == "keyed_string" ||
                                  c.name == "keyed_equal_hashes";
                         }),
                         name_of);

// True if a thread of this process is asleep in the kernel.
bool sleeps(pid_t thread) {
  std::ifstream stat("/proc/self/task/" + std::to_string(thread) + "/stat");
  const std::string line{std::istreambuf_iterator<char>(stat), {}};
  const std::size_t name_end = line.rfind(") ");  // the state follows the name
  return name_end != std::string::npos && line[name_end + 2] == 'S';
}

// Once a waiter has lost its patience, and the rest after the last handover is over, the releasing
// thread itself cannot take the key again: at no moment after unlock() is it free. Several times,
// since a waiter that is only woken may win too.
TEST_P(Handoff, AnImpatientWaiterIsGivenWhatComesBack) {
  Holders others = take_all_but_one(1);
  auto handle = handle_of(1);
  for (int i = 0; i < 10; ++i) {
    handle.lock();
    std::atomic<pid_t> id{0};
    Latch tried(1);
    JoiningThread waiter([&] {
      id = gettid();
      primitive_->inside(1, [&] { tried.wait(); });
    });
    while (id == 0 || !sleeps(id)) std::this_thread::yield();
    let_pass(2 * internal::WaitQueue::kPatience + internal::Handovers::kLongestRest);
    handle.unlock();
    const bool taken_back = handle.try_lock();
    tried.count_down();
    if (taken_back) handle.unlock();
    ASSERT_FALSE(taken_back);
  }
}

}  // namespace
}  // namespace lockbench
