// SPDX-License-Identifier: Apache-2.0

// FaultInjector: injects faults into the threads of an epoch from another thread until it is
// destroyed.
#pragma once

#include <atomic>
#include <cstdint>
#include <pthread.h>
#include <sched.h>
#include <thread>
#include <vector>

#include "harness/kernel/processors.h"
#include "harness/stress/threads/mode.h"
#include "harness/stress/threads/shared_state.h"

namespace lockbench::stress::threads {

// Returns false if the kernel refuses. A thread that has just ended counts as success.
bool bind_to(pid_t task, const std::vector<int>& processors);

// Installs the signal handler that delays a thread wherever it is, also inside of the lock's code.
void install_slow_signal_handler(bool restart);

class FaultInjector {
 public:
  // `threads` are the threads of the slots 0, 1, … They must exist longer than the injector.
  FaultInjector(SharedState& state, FaultKind fault, std::uint64_t seed,
                std::vector<pthread_t> threads);
  FaultInjector(const FaultInjector&) = delete;
  FaultInjector& operator=(const FaultInjector&) = delete;

  // Stops the faults and restores the priority and the processors of every thread.
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
  const std::vector<int> processors_ = allowed_processor_numbers();
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace lockbench::stress::threads
