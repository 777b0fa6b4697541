// SPDX-License-Identifier: Apache-2.0

// ProcessWorkers: the processes of a trial whose primitive locks between processes.
//
// They are forked. The parent, which has one thread, has created the data that they share (the
// primitive, the workload, the phases), and they run the loop that is compiled for this trial. A
// program that is started with exec() would need all of that as text.
//
// Guarantees   no worker outlives this object or the process that made it; failure() reports a
//              worker that was killed or that an exception ended.
// Requires     a process of one thread.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "harness/bench/measure/thread_workers.h"
#include "primitives/platform/shared_array.h"

namespace lockbench {

class ProcessWorkers final : public WorkerGroup {
 public:
  // `most`: the maximum number of workers.
  explicit ProcessWorkers(std::uint32_t most) : last_words_(most) {}
  ~ProcessWorkers() override;
  ProcessWorkers(const ProcessWorkers&) = delete;
  ProcessWorkers& operator=(const ProcessWorkers&) = delete;

  std::string start(int processor, std::function<void()> body) override;
  void join() override;
  std::optional<WorkerFailure> failure() override;

  // The destructor kills processes that are still running.
  bool outlives_trial() const override { return false; }

 private:
  using LastWords = std::array<char, 256>;  // the message of a worker that an exception ended

  [[noreturn]] void live(int processor, std::size_t worker, const std::function<void()>& body);
  [[noreturn]] void leave(std::size_t worker, const std::exception& error, int exit_code);
  void note_end(std::size_t worker, int status);

  const StartProcessors start_;
  platform::SharedArray<LastWords> last_words_;
  std::vector<pid_t> workers_;  // 0: it has ended
  std::optional<WorkerFailure> failure_;
};

}  // namespace lockbench
