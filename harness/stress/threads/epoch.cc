// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/epoch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <pthread.h>
#include <sched.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "harness/kernel/processors.h"
#include "harness/stress/litmus/key_set_lock.h"
#include "harness/stress/supervision/stall_detector.h"
#include "harness/stress/supervision/task_state.h"
#include "harness/stress/threads/access_delays.h"
#include "harness/stress/threads/checked_thread.h"
#include "harness/stress/threads/epoch_context.h"
#include "harness/stress/threads/fault_injector.h"
#include "harness/stress/threads/quiescent_checks.h"
#include "harness/stress/threads/renewed_lock.h"
#include "harness/stress/threads/starvation.h"
#include "harness/stress/threads/warm_up.h"

namespace lockbench::stress::threads {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBetweenChecks{5};

class Epoch {
 public:
  Epoch(SharedState& state, const RegisteredLock& entry, const EpochPlan& plan, RenewedLock& lock)
      : state_(state), plan_(plan), lock_(lock), context_(state, entry, plan, lock, [this, &lock] {
          if (plan_.renews && !context_.stopping()) lock.renew();
        }) {}

  void run() {
    start();
    {
      std::vector<pthread_t> handles;
      for (std::thread& thread : threads_) handles.push_back(thread.native_handle());
      const bool delays = plan_.mode.fault == FaultKind::kAccessDelays;
      const AccessDelays access_delays(delays ? plan_.seed | 1 : 0);
      const FaultInjector injector(state_, plan_.mode.fault, plan_.seed, std::move(handles));
      put(state_.phase, SharedState::kRunning);
      go_.store(true, std::memory_order_release);
      std::this_thread::sleep_for(plan_.length);
      if (plan_.mode.fault == FaultKind::kFairness) check_starvation(context_);
    }
    // The injector has now restored the priorities. Before that, a thread with the lowest priority
    // might take seconds to end.
    context_.stop();
    put(state_.phase, SharedState::kStopping);
    await_all();
    for (std::thread& thread : threads_) thread.join();
    check_quiescent_state(context_, checked_);
  }

 private:
  void start() {
    const auto count = static_cast<std::uint32_t>(plan_.program.threads.size());
    put(state_.threads, count);
    put(state_.began_ns, static_cast<std::uint64_t>(now_ns()));
    for (std::uint32_t i = 0; i < count; ++i) {
      put(state_.slots[i].position.doing, 0);
      put(state_.slots[i].position.holds, 0);
      checked_.push_back(std::make_unique<CheckedThread>(context_, i));
    }
    for (std::uint32_t i = 0; i < count; ++i) threads_.emplace_back([this, i] { live(i); });
    // relaxed: only the number of started threads is read.
    while (there_.load(std::memory_order_relaxed) != count) sched_yield();
  }

  void live(std::uint32_t number) {
    ThreadSlot& slot = state_.slots[number];
    put(slot.task, static_cast<std::uint64_t>(gettid()));
    const bool one_core = plan_.mode.fault == FaultKind::kOneCore;
    bind_to_processor(one_core ? plan_.seed : number);
    there_.fetch_add(1, std::memory_order_relaxed);
    while (!go_.load(std::memory_order_acquire)) sched_yield();
    if (!one_core && !bind_to(0, processors_)) add(state_.refused_by_kernel);
    std::uint32_t last_pass = 0;
    while (!context_.stopping()) {
      if (plan_.mode.fault == FaultKind::kThreadChurn) {
        run_in_new_thread(number);
      } else {
        checked_[number]->run_acts();
      }
      if (plan_.barriers) context_.await_all_threads();
      context_.pass_gate(number, last_pass);
    }
    put(slot.position.doing, pack(Event{.kind = Event::kEnd}));
    ended_.fetch_add(1, std::memory_order_relaxed);
  }

  // Spreads the threads over the processors at their start. Otherwise they may share one processor
  // for most of an epoch while another one is idle.
  void bind_to_processor(std::uint64_t number) {
    const bool bound =
        !processors_.empty() && bind_to(0, {processors_[number % processors_.size()]});
    if (!bound) add(state_.refused_by_kernel);
  }

  // Performs the acts in a thread that ends before the next one begins. The C library reuses the
  // stack of an ended thread for the next one, so the next one also gets its id.
  void run_in_new_thread(std::uint32_t number) {
    ThreadSlot& slot = state_.slots[number];
    std::thread([&] {
      put(slot.task, static_cast<std::uint64_t>(gettid()));
      checked_[number]->run_acts();
    }).join();
    put(slot.task, static_cast<std::uint64_t>(gettid()));
    add(slot.injections);
  }

  void await_all() {
    StallDetector stall;
    // relaxed: the records of the threads are read after the threads have been joined.
    while (ended_.load(std::memory_order_relaxed) != threads_.size()) {
      if (stall.reached(events(), getpid(), tasks())) report_stall();
      std::this_thread::sleep_for(kBetweenChecks);
    }
    check(state_, kOwnSlot, Ended{});
  }

  std::uint64_t events() const {
    std::uint64_t events = ended_.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < threads_.size(); ++i) events += state_.slots[i].events.count();
    return events;
  }

  // All threads of this process except the calling one, because the lock may have started its own
  // threads.
  static std::vector<pid_t> tasks() {
    std::vector<pid_t> tasks = tasks_of(getpid());
    std::erase(tasks, gettid());
    return tasks;
  }

  [[noreturn]] void report_stall() {
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      copy(state_.slots[i].position, state_.stalled[i]);
    }
    if (!lock_.renewing()) probe_keys();
    fail(state_, kOwnSlot,
         {Oracle::kProgress, {.fault = oracles::Progress::kStall, .key = plan_.keys}});
  }

  void probe_keys() {
    put(state_.phase, SharedState::kProbing);
    std::uint64_t free_keys = 0;
    for (std::uint32_t key = 0; key <= plan_.keys; ++key) {
      const std::unique_ptr<LockHandle> handle = context_.lock.handle(key);
      if (!acquire_free(*handle, context_.entry.abilities.strong_try)) continue;
      free_keys |= std::uint64_t{1} << key;
      handle->unlock();
    }
    put(state_.free_keys, free_keys);
    put(state_.probed, 1);
  }

  SharedState& state_;
  const EpochPlan& plan_;
  const RenewedLock& lock_;
  EpochContext context_;
  const std::vector<int> processors_ = allowed_processor_numbers();
  std::vector<std::unique_ptr<CheckedThread>> checked_;
  std::vector<std::thread> threads_;
  std::atomic<std::uint32_t> there_{0};
  std::atomic<bool> go_{false};
  std::atomic<std::uint32_t> ended_{0};
};

}  // namespace

void run_epoch(SharedState& state, const RegisteredLock& entry, const EpochPlan& plan) {
  put(state.phase, SharedState::kPreparing);
  add(state.beat);
  const bool delays = plan.mode.fault == FaultKind::kAccessDelays;
  RenewedLock lock([&] {
    return with_key_set(delays ? entry.make_instrumented(plan.keys + 1) : entry.make(plan.keys + 1),
                        plan.program.key_set);
  });
  put(state.phase, SharedState::kChecking);
  warm_up(state, lock, plan.program, entry.abilities);
  put(state.phase, SharedState::kPreparing);
  Epoch(state, entry, plan, lock).run();
  put(state.phase, SharedState::kChecking);
}

}  // namespace lockbench::stress::threads
