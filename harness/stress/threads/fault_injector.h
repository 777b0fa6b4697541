// SPDX-License-Identifier: Apache-2.0

// FaultInjector: what is done to the threads of an epoch from outside, until it is told to stop.
#pragma once

#include <atomic>
#include <cstdint>
#include <pthread.h>
#include <sched.h>
#include <thread>
#include <vector>

#include "harness/stress/threads/mode.h"
#include "harness/stress/threads/shared_state.h"

namespace lockbench::stress::threads {

// The processors that this process may use.
std::vector<int> own_processors();

// False when the kernel refuses; a thread that has just ended is no refusal.
bool bind_to(pid_t task, const std::vector<int>& processors);

// Which signals a thread may get, and what it does then: dawdles, somewhere in the lock's code.
void install_dawdling(bool restart);

class FaultInjector {
 public:
  // `threads` are those whose lines are 0, 1, …; they outlive the injector.
  FaultInjector(SharedState& state, FaultKind fault, std::uint64_t seed,
                std::vector<pthread_t> threads);
  FaultInjector(const FaultInjector&) = delete;
  FaultInjector& operator=(const FaultInjector&) = delete;

  // Stops, and sets every thread's priority and processors to what they were.
  ~FaultInjector();

 private:
  void disturb(std::uint64_t seed);
  void disturb_one(std::uint32_t thread, std::uint64_t draw);
  void note(bool accepted) {
    if (!accepted) add(state_.refused_by_kernel);
  }

  SharedState& state_;
  const FaultKind fault_;
  const std::vector<pthread_t> threads_;
  const std::vector<int> processors_ = own_processors();
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace lockbench::stress::threads
