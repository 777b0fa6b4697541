// SPDX-License-Identifier: Apache-2.0

// ThreadWorkers: the threads of a trial, up to some thousands.
//
// Guarantees   Stacks are small, so that thousands of threads fit. An exception ends the thread it
//              leaves, and failure() reports the first one. A thread that is bound to a processor
//              never runs elsewhere, not even at its start. Threads that are not bound start on the
//              process's processors in turn, unless the kernel refuses to place them. If a
//              thread cannot be started, the error says why.
// Not offered  Ending a thread that does not return: threads that are not joined keep running.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <string>
#include <vector>

#include "harness/measure/worker_group.h"

namespace lockbench {

class ThreadWorkers final : public WorkerGroup {
 public:
  std::string start(int processor, std::function<void()> body) override;
  void join() override;

  std::optional<WorkerFailure> failure() override;
  bool outlives_trial() const override { return !empty(); }

  // True if no thread was started, or all were joined.
  bool empty() const { return threads_.empty(); }

 private:
  // Creates a thread on one of these processors, or anywhere if there are none. Returns 0, or the
  // number of the error.
  int create(const std::vector<int>& where, std::function<void()> body);
  void run(const std::function<void()>& body, std::size_t worker);

  const StartProcessors places_;
  std::vector<pthread_t> threads_;

  std::mutex mutex_;  // guards failure_
  std::optional<WorkerFailure> failure_;
};

}  // namespace lockbench
