// SPDX-License-Identifier: Apache-2.0

// WorkerGroup: the workers of a trial, which are threads or processes.
#pragma once

#include <cstddef>
#include <functional>
#include <sched.h>
#include <string>
#include <vector>

namespace lockbench {

// Not bound: the worker may run on every processor that this process may use. It starts on the next
// processor in turn, since the kernel often starts two workers of one parent on one processor and
// leaves them there for 50 ms and more while another processor is idle.
inline constexpr int kAnyProcessor = -1;

class WorkerGroup {
 public:
  virtual ~WorkerGroup() = default;

  // Starts a worker that runs `body`. Returns what went wrong, or an empty text.
  virtual std::string start(int processor, std::function<void()> body) = 0;

  // Waits until all have returned.
  virtual void join() = 0;

  // How a worker ended that did not return; empty: every worker that has ended returned.
  virtual std::string failure() = 0;

  // A worker may still run, and keeps running when the group is destroyed.
  virtual bool stays_behind() const = 0;
};

// The processors that workers start on.
class StartProcessors {
 public:
  StartProcessors();

  // Where worker number `worker` starts: `processor`, or the next in turn.
  cpu_set_t first_for(int processor, std::size_t worker) const;

  // Lets the calling worker run on every processor that this process may use.
  void free_caller() const;

 private:
  cpu_set_t allowed_;        // to this process
  std::vector<int> places_;  // the same, as numbers; empty: the kernel does not say
};

}  // namespace lockbench
