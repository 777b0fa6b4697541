// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/fault_injector.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <utility>

#include "harness/stress/threads/own_thread.h"
#include "workloads/random.h"

namespace lockbench::stress::threads {
namespace {

constexpr int kSignal = SIGUSR1;

// Yields or sleeps for a short time, depending on the low bits of the clock. Async-signal-safe.
extern "C" void delay_in_signal(int) {
  const int error = errno;
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (now.tv_nsec / 64 % 2 == 0) {
    const timespec nap{.tv_sec = 0, .tv_nsec = 20'000};
    nanosleep(&nap, nullptr);
  } else {
    sched_yield();
  }
  errno = error;
}

bool acts_from_outside(FaultKind fault) {
  return fault == FaultKind::kLowPriority || fault == FaultKind::kMigration ||
         fault == FaultKind::kSignals || fault == FaultKind::kSignalsRestart;
}

// Does not report a failure if the thread has just ended.
bool schedule_as(pid_t task, int policy) {
  const sched_param parameter{.sched_priority = 0};
  return sched_setscheduler(task, policy, &parameter) == 0 || errno == ESRCH;
}

}  // namespace

bool bind_to(pid_t task, const std::vector<int>& processors) {
  const int error = bind_to_processors(task, processors);
  return error == 0 || error == ESRCH;
}

void install_slow_signal_handler(bool restart) {
  struct sigaction action {};
  action.sa_handler = delay_in_signal;
  action.sa_flags = restart ? SA_RESTART : 0;
  sigaction(kSignal, &action, nullptr);
}

FaultInjector::FaultInjector(SharedState& state, FaultKind fault, std::uint64_t seed,
                             std::vector<pthread_t> threads)
    : state_(state), fault_(fault), threads_(std::move(threads)) {
  if (!acts_from_outside(fault)) return;
  install_slow_signal_handler(fault == FaultKind::kSignalsRestart);
  thread_ = own_thread(state_, [this, seed] { disturb(seed); });
}

FaultInjector::~FaultInjector() {
  if (!thread_.joinable()) return;
  stop_.store(true, std::memory_order_relaxed);  // relaxed: the flag publishes nothing else
  thread_.join();
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    const auto task = static_cast<pid_t>(get(state_.slots[i].task));
    if (fault_ == FaultKind::kLowPriority) schedule_as(task, SCHED_OTHER);
    if (fault_ == FaultKind::kMigration) bind_to(task, processors_);
  }
}

void FaultInjector::disturb(std::uint64_t seed) {
  Random random(seed);
  while (!stop_.load(std::memory_order_relaxed)) {
    const auto pause = std::chrono::microseconds(10 + random.below(100));
    std::this_thread::sleep_for(pause);
    disturb_one(static_cast<std::uint32_t>(random.below(threads_.size())), random.next());
    add(state_.own_slot().injections);
  }
}

void FaultInjector::disturb_one(std::uint32_t thread, std::uint64_t draw) {
  constexpr int kPolicies[] = {SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_IDLE};
  const auto task = static_cast<pid_t>(get(state_.slots[thread].task));
  switch (fault_) {
    case FaultKind::kLowPriority:
      note(schedule_as(task, kPolicies[draw % std::size(kPolicies)]));
      break;
    case FaultKind::kMigration:
      note(!processors_.empty() && bind_to(task, {processors_[draw % processors_.size()]}));
      break;
    default:
      pthread_kill(threads_[thread], kSignal);
  }
}

}  // namespace lockbench::stress::threads
