// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/process_workers.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/kernel/processors.h"
#include "primitives/service.h"

namespace lockbench {
namespace {

// The exit code of a worker that a ServiceError ended.
constexpr int kServiceLostExit = 3;

// Says what a user can do about the error, if it is about limits.
std::string advice(int error) {
  std::string text = std::strerror(error);
  if (error == EAGAIN) text += "; raise `ulimit -u` or the container's pids limit";
  return text;
}

}  // namespace

ProcessWorkers::~ProcessWorkers() {
  for (const pid_t worker : workers_) {
    if (worker != 0) kill(worker, SIGKILL);
  }
  join();
}

std::string ProcessWorkers::start(int processor, std::function<void()> body) {
  const std::size_t worker = workers_.size();
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) return advice(errno);
  if (child == 0) {
    // The parent is checked after prctl(), so that a parent that dies between the two calls is
    // noticed.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(1);
    live(processor, worker, body);
  }
  workers_.push_back(child);
  return {};
}

void ProcessWorkers::live(int processor, std::size_t worker, const std::function<void()>& body) {
  const std::vector<int> first = start_.first_for(processor, worker);
  if (!first.empty()) bind_to_processors(0, first);
  if (processor == kAnyProcessor) start_.free_caller();
  try {
    body();
  } catch (const ServiceError& error) {
    leave(worker, error, kServiceLostExit);
  } catch (const std::exception& error) {
    leave(worker, error, 1);
  }
  // No destructors run here: the parent destroys the objects that were created before the fork.
  _exit(0);
}

void ProcessWorkers::leave(std::size_t worker, const std::exception& error, int exit_code) {
  LastWords& words = last_words_[worker];
  std::strncpy(words.data(), error.what(), words.size() - 1);
  _exit(exit_code);
}

void ProcessWorkers::join() {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (workers_[i] == 0) continue;
    int status = 0;
    while (waitpid(workers_[i], &status, 0) < 0 && errno == EINTR) {
    }
    note_end(i, status);
  }
}

std::optional<WorkerFailure> ProcessWorkers::failure() {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    int status = 0;
    if (workers_[i] != 0 && waitpid(workers_[i], &status, WNOHANG) == workers_[i]) {
      note_end(i, status);
    }
  }
  return failure_;
}

void ProcessWorkers::note_end(std::size_t worker, int status) {
  workers_[worker] = 0;
  if (failure_ || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) return;
  WorkerFailure& failure = failure_.emplace();
  failure.reason = "process " + std::to_string(worker) + " of the trial ";
  const std::string said(last_words_[worker].data());
  if (WIFSIGNALED(status)) {
    failure.reason += "was ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
                      strsignal(WTERMSIG(status)) + ")";
  } else if (WEXITSTATUS(status) == kServiceLostExit) {
    failure = {.reason = said, .service_lost = true};
  } else {
    failure.reason += "ended early: " + said;
  }
}

}  // namespace lockbench
