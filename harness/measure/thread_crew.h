// SPDX-License-Identifier: Apache-2.0

// ThreadCrew: the threads of a trial, up to some thousands.
//
// Guarantees   small stacks, so that thousands fit; a thread bound to a processor never runs
//              elsewhere, not even at its start; threads that are not bound start on the process's
//              processors in turn; a start that fails says why.
// Not offered  an end to threads that do not return: a crew that is not joined is left running.
#pragma once

#include <functional>
#include <pthread.h>
#include <string>
#include <vector>

#include "harness/measure/crew.h"

namespace lockbench {

class ThreadCrew final : public Crew {
 public:
  std::string start(int processor, std::function<void()> body) override;
  void join() override;

  // A thread that ends otherwise ends the process.
  std::string trouble() override { return {}; }
  bool stays_behind() const override { return !empty(); }

  // Nobody was started, or all were joined.
  bool empty() const { return threads_.empty(); }

 private:
  std::string create(const cpu_set_t& where, std::function<void()> body);

  const Places places_;
  std::vector<pthread_t> threads_;
};

}  // namespace lockbench
