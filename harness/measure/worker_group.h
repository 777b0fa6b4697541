// SPDX-License-Identifier: Apache-2.0

// WorkerGroup: the workers of a trial, which are threads or processes.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lockbench {

// The worker is not bound: it may run on every processor that this process may use. It starts on
// the next processor in turn, because the kernel often starts two workers of one parent on one
// processor and leaves them there for 50 ms and more while another processor is idle.
inline constexpr int kAnyProcessor = -1;

// How a worker ended that did not return.
struct WorkerFailure {
  std::string reason;         // one line
  bool service_lost = false;  // by a ServiceError
};

class WorkerGroup {
 public:
  virtual ~WorkerGroup() = default;

  // Starts a worker that runs `body`. Returns what went wrong, or an empty text.
  virtual std::string start(int processor, std::function<void()> body) = 0;

  // Waits until all have returned.
  virtual void join() = 0;

  // The first worker that ended without returning; absent: every worker that has ended returned.
  virtual std::optional<WorkerFailure> failure() = 0;

  // Whether a worker may still be running and will keep running after the group is destroyed.
  virtual bool outlives_trial() const = 0;
};

// The processors that workers start on.
class StartProcessors {
 public:
  StartProcessors();

  // Where worker number `worker` starts: on `processor`, or on the next one in turn; empty if the
  // kernel does not report the processors.
  std::vector<int> first_for(int processor, std::size_t worker) const;

  // Lets the calling worker run on every processor that this process may use.
  void free_caller() const;

 private:
  std::vector<int> places_;  // those that this process may use; empty: they are unknown
};

}  // namespace lockbench
