// SPDX-License-Identifier: Apache-2.0

// ThreadWorkers: the threads of a trial, up to some thousands.
//
// Guarantees   Stacks are small, so that thousands of threads fit. An exception ends the thread it
//              leaves, and failure() reports the first one. A thread that is bound to a processor
//              never runs elsewhere, not even at its start. Threads that are not bound start on the
//              process's processors in turn, unless the kernel refuses to place them. If a
//              thread cannot be started, the error says why.
// Not offered  Ending a thread that does not return: threads that are not joined keep running.
//
// WorkerGroup: the workers of a trial, which are threads or processes.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <pthread.h>
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

  // True if a worker may still be running and will keep running after the group is destroyed.
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
  std::vector<int> processors_;  // those that this process may use; empty: they are unknown
};

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

  const StartProcessors start_;
  std::vector<pthread_t> threads_;

  std::mutex mutex_;  // guards failure_
  std::optional<WorkerFailure> failure_;
};

}  // namespace lockbench
