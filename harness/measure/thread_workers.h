// SPDX-License-Identifier: Apache-2.0

// ThreadWorkers: the threads of a trial, up to some thousands.
//
// Guarantees   small stacks, so that thousands fit; a thread bound to a processor never runs
//              elsewhere, not even at its start; threads that are not bound start on the process's
//              processors in turn; a start that fails says why.
// Not offered  ending a thread that does not return: threads that are not joined keep running.
#pragma once

#include <functional>
#include <pthread.h>
#include <string>
#include <vector>

#include "harness/measure/worker_group.h"

namespace lockbench {

class ThreadWorkers final : public WorkerGroup {
 public:
  std::string start(int processor, std::function<void()> body) override;
  void join() override;

  // A thread that ends without returning ends the process.
  std::string failure() override { return {}; }
  bool stays_behind() const override { return !empty(); }

  // No thread was started, or all were joined.
  bool empty() const { return threads_.empty(); }

 private:
  std::string create(const cpu_set_t& where, std::function<void()> body);

  const StartProcessors places_;
  std::vector<pthread_t> threads_;
};

}  // namespace lockbench
