// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/processes/epoch.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <sys/wait.h>
#include <vector>

#include "harness/stress/processes/process_group.h"
#include "harness/stress/supervision/children.h"
#include "harness/stress/supervision/stall_detector.h"
#include "harness/stress/supervision/task_state.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/thread.h"

namespace lockbench::stress::processes {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// Longer than any lock here sleeps between two looks.
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
      sleep_a_tick();
    }
    injector_.let_all_go_on();
    put(state_.stop, 1);
    return await_all() && updates_are_kept() && all_is_free();
  }

 private:
  bool await_all() {
    std::vector<StallDetector> stalls(kMostProcesses, StallDetector(kPatience));
    while (!group_.collect()) {
      injector_.look_for_recoveries();
      const std::vector<std::uint32_t> left = group_.living();
      if (left.empty()) {
        asked(Oracle::kProgress);
        return true;
      }
      // All of them, so that each is asked.
      const auto still = std::count_if(left.begin(), left.end(), [&](std::uint32_t slot) {
        const pid_t process = group_.process(slot);
        return stalls[slot].reached(events(), process, tasks_of(process));
      });
      if (static_cast<std::size_t>(still) == left.size()) {
        tell_standstill(left);
        return false;
      }
      sleep_a_tick();
    }
    return false;
  }

  std::uint64_t events() const {
    std::uint64_t events = group_.living().size();
    for (const ProcessSlot& slot : state_.slots) events += slot.events.count();
    return events;
  }

  void tell_standstill(const std::vector<std::uint32_t>& left) {
    const std::uint32_t slot = left.front();
    const Event doing = state_.slots[slot].events.now();
    const std::uint64_t inside = get(state_.sections[doing.key].inside);
    state_.note(
        {.fault = FailureRecord::kStandstill,
         .slot = static_cast<std::uint8_t>(slot),
         .other = inside == kNobody ? kNoSlot : static_cast<std::uint8_t>(name_from(inside).slot),
         .key = static_cast<std::uint8_t>(doing.key),
         .x = inside != kNobody && state_.was_killed(inside)});
  }

  // What a process had begun when it was killed may have been done or not.
  bool updates_are_kept() {
    for (std::uint32_t key = 0; key < context_.plan.keys; ++key) {
      std::uint64_t begun = 0;
      std::uint64_t done = 0;
      for (const ProcessSlot& slot : state_.slots) {
        begun += get(slot.begun[key]);
        done += get(slot.done[key]);
      }
      const std::uint64_t number = context_.numbers[key]->read().value_or(0);
      asked(Oracle::kConservation);
      if (number >= done && number <= begun) continue;
      const bool lost = number < done;
      state_.note({.fault = lost ? FailureRecord::kUpdatesLost : FailureRecord::kUpdatesMore,
                   .key = static_cast<std::uint8_t>(key),
                   .x = static_cast<std::uint32_t>(lost ? done - number : number - begun)});
      return false;
    }
    return true;
  }

  // Every key can be had, by a process that was not there before; and while one is held, the others
  // can, if each is to have a lock of its own.
  bool all_is_free() {
    const pid_t checker = start_child([this] { check(); });
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
      state_.note({.fault = FailureRecord::kNoReturn});
    } else if (WIFSIGNALED(status)) {
      const auto signal = static_cast<std::uint32_t>(WTERMSIG(status));
      state_.note({.fault = FailureRecord::kDied, .slot = kNoSlot, .x = signal});
    }
    asked(Oracle::kResidue);
    if (context_.abilities.lock_per_key) asked(Oracle::kIndependence);
    return state_.noted().fault == FailureRecord::kNone;
  }

  void check() {
    for (std::uint32_t key = 0; key <= context_.plan.keys; ++key) {
      const std::unique_ptr<LockHandle> handle = context_.lock->handle(key);
      if (!try_or_note(*handle, {.fault = FailureRecord::kNotFree, .key = number(key)})) return;
      handle->unlock();
    }
    if (!context_.abilities.lock_per_key) return;
    std::vector<std::unique_ptr<LockHandle>> held;
    for (std::uint32_t key = 0; key <= context_.plan.keys; ++key) {
      held.push_back(context_.lock->handle(key));
      if (!try_or_note(*held.back(), {.fault = FailureRecord::kDependent, .other = number(key)}))
        return;
    }
    for (const auto& handle : held) handle->unlock();
  }

  bool try_or_note(LockHandle& handle, const FailureRecord& failure) {
    add(state_.checking);
    const bool had = handle.try_lock();
    if (!had) state_.note(failure);
    return had;
  }

  static std::uint8_t number(std::uint32_t key) { return static_cast<std::uint8_t>(key); }

  void asked(Oracle oracle) { add(state_.slots[0].evaluations[static_cast<std::size_t>(oracle)]); }

  const EpochContext& context_;
  SharedState& state_;
  ProcessGroup group_;
  FaultInjector injector_;
};

// What belongs to one epoch alone.
void wipe(SharedState& state) {
  put(state.go, 0);
  put(state.stop, 0);
  put(state.checking, 0);
  put(state.began_ns, static_cast<std::uint64_t>(now_ns()));
  for (CriticalSection& place : state.sections) put(place.inside, kNobody);
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
