// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/measure/thread_workers.h"

#include <cerrno>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>

#include "harness/kernel/processors.h"
#include "primitives/service.h"

namespace lockbench {

StartProcessors::StartProcessors() : processors_(allowed_processor_numbers()) {}

std::vector<int> StartProcessors::first_for(int processor, std::size_t worker) const {
  if (processor != kAnyProcessor) return {processor};
  if (processors_.empty()) return {};
  return {processors_[worker % processors_.size()]};
}

void StartProcessors::free_caller() const {
  if (!processors_.empty()) bind_to_processors(0, processors_);
}

namespace {

// A measured loop needs a few hundred bytes; the rest is for sanitizers and library calls.
constexpr std::size_t kStackBytes = 256 << 10;

extern "C" void* run_body(void* argument) {
  const std::unique_ptr<std::function<void()>> body(static_cast<std::function<void()>*>(argument));
  (*body)();
  return nullptr;
}

// Says what a user can do about the error, if it is about limits.
std::string advice(int error) {
  std::string text = std::strerror(error);
  if (error == EAGAIN) {
    text += "; raise `ulimit -u`, /proc/sys/kernel/threads-max or the container's pids limit";
  }
  return text;
}

std::string refused_binding(int error) {
  return std::string("the kernel refuses to bind it to its processor (sched_setaffinity: ") +
         std::strerror(error) +
         "); permit the call (seccomp, systemd's SystemCallFilter), or measure with pinning none";
}

}  // namespace

std::string ThreadWorkers::start(int processor, std::function<void()> body) {
  const std::vector<int> first = start_.first_for(processor, threads_.size());
  if (processor != kAnyProcessor) {
    const int error = create(first, std::move(body));
    if (error == EPERM || error == EACCES || error == ENOSYS) return refused_binding(error);
    return error == 0 ? "" : advice(error);
  }
  int error = create(first, [this, body] {
    start_.free_caller();
    body();
  });
  // Where a thread that is not bound starts is an improvement only: doctor says that it is refused.
  if (error == EPERM || error == EACCES || error == ENOSYS) error = create({}, std::move(body));
  return error == 0 ? "" : advice(error);
}

int ThreadWorkers::create(const std::vector<int>& where, std::function<void()> body) {
  body = [this, body = std::move(body), worker = threads_.size()] { run(body, worker); };
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  const ProcessorMask mask(where);
  if (!where.empty()) pthread_attr_setaffinity_np(&attributes, mask.bytes(), mask.get());
  auto argument = std::make_unique<std::function<void()>>(std::move(body));
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, run_body, argument.get());
  pthread_attr_destroy(&attributes);
  if (error != 0) return error;
  static_cast<void>(argument.release());  // run_body owns it now
  threads_.push_back(thread);
  return 0;
}

// A thrown object that is no std::exception ends the process: it has no message that could be kept.
void ThreadWorkers::run(const std::function<void()>& body, std::size_t worker) {
  WorkerFailure failure;
  try {
    return body();
  } catch (const ServiceError& error) {
    failure = {.reason = error.what(), .service_lost = true};
  } catch (const std::exception& error) {
    failure.reason = "thread " + std::to_string(worker) + " of the trial threw: " + error.what();
  }
  std::scoped_lock guard(mutex_);
  if (!failure_) failure_ = std::move(failure);
}

std::optional<WorkerFailure> ThreadWorkers::failure() {
  std::scoped_lock guard(mutex_);
  return failure_;
}

void ThreadWorkers::join() {
  for (const pthread_t thread : threads_) pthread_join(thread, nullptr);
  threads_.clear();
}

}  // namespace lockbench
