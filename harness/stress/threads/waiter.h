// SPDX-License-Identifier: Apache-2.0

// Waiter: a native thread that requests a key which another thread holds, and how it waits.
#pragma once

#include <atomic>
#include <sys/types.h>
#include <thread>
#include <unistd.h>

namespace lockbench::stress::threads {

struct Waiter {
  std::thread thread;
  std::atomic<pid_t> task{0};
  std::atomic<bool> requests{false};

  // The thread itself calls it just before its request.
  void requests_now() {
    task.store(gettid(), std::memory_order_relaxed);
    requests.store(true, std::memory_order_release);
  }
};

enum class Waits {
  kUnknown,
  kSleeps,
  kSpins,  // it has used a processor for longer than any lock spins before it queues a thread
};

// How the thread waits, as soon as it certainly does. Takes 4 ms, or 100 ms if that stays unknown.
Waits waits(const Waiter& waiter);

}  // namespace lockbench::stress::threads
