// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/epoch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <pthread.h>
#include <sched.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "harness/kernel/processors.h"
#include "harness/stress/litmus/demand.h"
#include "harness/stress/litmus/key_set_lock.h"
#include "harness/stress/renewed_lock.h"
#include "harness/stress/supervision/stall_detector.h"
#include "harness/stress/threads/access_delays.h"
#include "harness/stress/threads/checked_thread.h"
#include "harness/stress/threads/epoch_checks.h"
#include "harness/stress/threads/fault_injector.h"
#include "harness/stress/threads/guarded_memory.h"
#include "harness/stress/threads/own_thread.h"

namespace lockbench::stress::threads {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBetweenChecks{5};

class Epoch {
 public:
  Epoch(SharedState& state, const RegisteredLock& entry, const EpochPlan& plan, RenewedLock& lock)
      : state_(state), plan_(plan), lock_(lock), context_(state, entry, plan, lock, [&lock] {
          const KeptBlocks at_the_same_addresses;
          lock.renew();
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
    for (std::uint32_t i = 0; i < count; ++i)
      threads_.push_back(own_thread(state_, [this, i] { live(i); }));
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
      if (plan_.barriers) context_.await_all_threads(plan_.renews);
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
    own_thread(state_, [&] {
      put(slot.task, static_cast<std::uint64_t>(gettid()));
      checked_[number]->run_acts();
    }).join();
    put(slot.task, static_cast<std::uint64_t>(gettid()));
    add(slot.injections);
  }

  // If threads of a correct lock contend for a word that spins, and most have no processor, none
  // may get on for seconds. So a stall is one if there is no progress either while one of the
  // threads has a processor of its own, and each of the others ran beside it for a few turns.
  void await_all() {
    const bool have_ended = all_end(
        StallDetector::kTicksEnough, [] {}, [] { return true; });
    if (!have_ended &&
        (processors_.size() < 2 || !all_end(
                                       kTicksBeside, [this] { favour_one(); },
                                       [this] { return favourite_ran_beside_the_others(); }))) {
      report_stall();
    }
    check(state_, kOwnSlot, Ended{});
  }

  // Returns false if the threads stall.
  template <class Look, class Enough>
  bool all_end(std::uint64_t ticks, const Look& look, const Enough& is_enough) {
    StallDetector stall(kPatienceForACall, ticks);
    // relaxed: the records of the threads are read after the threads have been joined.
    while (ended_.load(std::memory_order_relaxed) != threads_.size()) {
      look();
      if (stall.reached(events(), getpid(), tasks()) && is_enough()) return false;
      std::this_thread::sleep_for(kBetweenChecks);
    }
    return true;
  }

  Event doing(std::size_t thread) const {
    return event_from(get(state_.slots[thread].position.doing));
  }

  // Leaves a processor to one of the threads, if the one that has it has got on: to one that
  // releases, since others wait for it; if there is none, to one that requests.
  void favour_one() {
    const std::uint64_t now = events();
    if (favoured_at_ && now == *favoured_at_) return;
    favoured_at_ = now;
    std::size_t favourite = 0;
    for (std::size_t i = 1; i < threads_.size(); ++i) {
      if (doing(i).kind == Event::kRelease || doing(favourite).kind == Event::kEnd) favourite = i;
    }
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      if (doing(i).kind == Event::kEnd) continue;
      bind_to(task_of(i), {processors_[i == favourite ? 1 : 0]});
    }
    favourite_ = task_of(favourite);
    ticks_then_ = ticks_of_favourite();
  }

  // Other programs may have left it so little of its processor that none of its turns was at the
  // same time as one of the thread that is in its way.
  bool favourite_ran_beside_the_others() const {
    const auto now = task_state(getpid(), favourite_);
    const std::uint64_t enough = kTicksBeside * threads_.size() / 2;
    return !now || !now->runnable || now->cpu_ticks >= ticks_then_ + enough;
  }

  std::uint64_t ticks_of_favourite() const {
    const auto state = task_state(getpid(), favourite_);
    return state ? state->cpu_ticks : 0;
  }

  pid_t task_of(std::size_t thread) const {
    return static_cast<pid_t>(get(state_.slots[thread].task));
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
      if (!acquire_free(*handle, tries_of_free_key(context_.entry.abilities.strong_try))) continue;
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
  static constexpr std::uint64_t kTicksBeside = 5;
  std::optional<std::uint64_t> favoured_at_;  // events() when a thread was given a processor
  pid_t favourite_ = 0;
  std::uint64_t ticks_then_ = 0;
};

}  // namespace

void run_epoch(SharedState& state, const RegisteredLock& entry, const EpochPlan& plan) {
  put(state.phase, SharedState::kPreparing);
  add(state.beat);
  const bool delays = plan.mode.fault == FaultKind::kAccessDelays;
  const std::uint64_t keys = keys_to_make(plan.program, entry.abilities) + 1;  // one is not used
  RenewedLock lock([&] {
    return with_key_set(delays ? entry.make_instrumented(keys) : entry.make(keys),
                        plan.program.key_set);
  });
  put(state.phase, SharedState::kChecking);
  warm_up(state, lock, plan.program, entry.abilities);
  put(state.phase, SharedState::kPreparing);
  Epoch(state, entry, plan, lock).run();
  put(state.phase, SharedState::kChecking);
}

}  // namespace lockbench::stress::threads
