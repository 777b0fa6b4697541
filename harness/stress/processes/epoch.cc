// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/processes/epoch.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <sys/wait.h>
#include <vector>

#include "harness/stress/processes/process_group.h"
#include "harness/stress/supervision/abnormal_end.h"
#include "harness/stress/supervision/children.h"
#include "harness/stress/supervision/stall_detector.h"
#include "harness/stress/supervision/task_state.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/thread.h"

namespace lockbench::stress::processes {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// Longer than any lock here sleeps between two polls.
constexpr milliseconds kPatience{500};
constexpr microseconds kTick{500};

void sleep_a_tick() {
  platform::sleep_until(platform::now() + kTick);
}

class Epoch {
 public:
  Epoch(const EpochContext& context, InjectedFaults& injected)
      : context_(context),
        state_(context.state),
        group_(context),
        injector_(context, group_, injected) {}

  bool run() {
    for (std::uint32_t slot = 0; slot < context_.plan.processes; ++slot) group_.start(slot);
    put(state_.go, 1);
    const platform::Time end = platform::now() + context_.plan.length;
    while (platform::now() < end) {
      if (group_.collect()) return false;
      injector_.act();
      injector_.pass_time(platform::now() + kTick);
    }
    injector_.let_all_go_on();
    put(state_.stop, 1);
    return await_all() && updates_are_kept() && all_is_free();
  }

 private:
  bool await_all() {
    std::vector<StallDetector> stalls(kMostProcesses, StallDetector(kPatience));
    while (!group_.collect()) {
      injector_.count_recoveries();
      const std::vector<std::uint32_t> left = group_.living();
      if (left.empty()) return observe(Ended{});
      // Calls every detector, because each of them needs regular calls.
      const auto still = std::count_if(left.begin(), left.end(), [&](std::uint32_t slot) {
        const pid_t process = group_.process(slot);
        return stalls[slot].reached(events(), process, tasks_of(process));
      });
      if (static_cast<std::size_t>(still) == left.size()) {
        report_stall(left);
        return false;
      }
      injector_.pass_time(platform::now() + kTick);
    }
    return false;
  }

  std::uint64_t events() const {
    std::uint64_t events = group_.living().size();
    for (const ProcessSlot& slot : state_.slots) events += slot.events.count();
    return events;
  }

  void report_stall(const std::vector<std::uint32_t>& left) {
    const std::uint32_t slot = left.front();
    const std::uint32_t key = state_.slots[slot].events.now().key;
    const std::uint64_t owner = get(state_.canaries[key].owner);
    observe(ProcessStall{.process = slot,
                         .key = key,
                         .last_holder = number_in(owner),
                         .last_holder_was_killed = owner != kNobody && state_.was_killed(owner)});
  }

  // The last update of a killed process may or may not have been made, so the count has a lower and
  // an upper bound.
  bool updates_are_kept() {
    for (std::uint32_t key = 0; key < context_.plan.keys; ++key) {
      std::uint64_t begun = 0;
      std::uint64_t done = 0;
      for (const ProcessSlot& slot : state_.slots) {
        begun += get(slot.begun[key]);
        done += get(slot.done[key]);
      }
      const std::uint64_t number = context_.numbers[key]->read().value_or(0);
      const Updates updates{
          .when = Updates::kAtEnd, .key = key, .least = done, .most = begun, .seen = number};
      if (!observe(updates)) return false;
    }
    return true;
  }

  // Whether a new process can acquire every key, and all of them together if each key has its own
  // lock.
  bool all_is_free() {
    const pid_t checker = start_child([this] { check_quiescent_state(); });
    StallDetector stall(kPatience);
    int status = 0;
    bool ended = false;
    while (!ended && !stall.reached(get(state_.checking), checker, tasks_of(checker))) {
      ended = waitpid(checker, &status, WNOHANG) == checker;
      if (!ended) sleep_a_tick();
    }
    if (!ended) {
      kill(checker, SIGKILL);
      waitpid(checker, nullptr, 0);
      observe(Hang{Hang::kCallOfUnusedLock});
    } else if (const auto end = abnormal_end(status)) {
      observe(*end);
    }
    return !state_.failure.noted();
  }

  void check_quiescent_state() {
    for (std::uint32_t key = 0; key <= context_.plan.keys; ++key) {
      const std::unique_ptr<LockHandle> handle = context_.lock->handle(key);
      add(state_.checking);
      const bool free = handle->try_lock();
      if (!observe(FreeKey{.key = key, .free = free})) return;
      handle->unlock();
    }
    if (!context_.abilities.lock_per_key) return;
    std::vector<std::unique_ptr<LockHandle>> held;
    for (std::uint32_t key = 0; key <= context_.plan.keys; ++key) {
      held.push_back(context_.lock->handle(key));
      add(state_.checking);
      const bool acquired = held.back()->try_lock();
      const bool fine =
          key == 0 ? observe(FreeKey{.key = key, .free = acquired})
                   : observe(OtherKey{.held = key - 1, .asked = key, .acquired = acquired});
      if (!fine) return;
    }
    for (const auto& handle : held) handle->unlock();
  }

  // Returns false if an oracle failed.
  template <class Seen>
  bool observe(const Seen& seen) {
    return check(state_, kOwnSlot, seen);
  }

  const EpochContext& context_;
  SharedState& state_;
  ProcessGroup group_;
  FaultInjector injector_;
};

// Resets the parts of the state that belong to a single epoch.
void wipe(SharedState& state) {
  put(state.go, 0);
  put(state.stop, 0);
  put(state.checking, 0);
  put(state.began_ns, static_cast<std::uint64_t>(now_ns()));
  for (OwnerCanary& canary : state.canaries) std::construct_at(&canary);
  for (ProcessSlot& slot : state.slots) {
    for (Word& begun : slot.begun) put(begun, 0);
    for (Word& done : slot.done) put(done, 0);
    put(slot.stopped, 0);
    slot.events.set_now({});
  }
}

}  // namespace

bool run_epoch(SharedState& state, const RegisteredLock& entry, const EpochPlan& plan,
               InjectedFaults& injected) {
  wipe(state);
  const EpochContext context(state, entry, plan);
  return Epoch(context, injected).run();
}

}  // namespace lockbench::stress::processes
