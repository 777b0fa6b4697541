// SPDX-License-Identifier: Apache-2.0

// check_starvation(): whether a thread that waits for a key gets it when the key is free.
//
// A lock that does not promise to be fair may let a thread lose race after race, for as long as
// others compete with it. But it must not forget the thread: if the key is free for a while and
// only waiting threads ask for it, one of them gets it. While all threads compete, the two cannot
// be distinguished; after all have stopped, a thread that was forgotten may still get the key. So
// the check lies between: the other threads go on, with pauses.
//
// A pause counts as evidence only if in all of it no thread held the key or was granted it, the
// waiting thread ran, and no thread of the process was runnable without getting a processor. So
// neither a busy machine nor a waiter that sleeps for long between its looks is reported.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <thread>
#include <unistd.h>
#include <vector>

#include "harness/stress/supervision/stall_detector.h"
#include "harness/stress/threads/epoch_checks.h"

namespace lockbench::stress::threads {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kBetweenLooks{1};
constexpr milliseconds kPause{50};
constexpr std::uint32_t kPausesEnough = 20;
constexpr milliseconds kLongest{2500};
// A thread that ran in a pause ran for this long, or was given a processor this many times.
constexpr std::uint64_t kCpuNsEnough = 1'000'000;
constexpr std::uint64_t kTurnsEnough = 2;

class Starvation {
 public:
  explicit Starvation(EpochContext& context)
      : context_(context), threads_(context.plan.program.threads.size()) {
    for (std::uint32_t i = 0; i < threads_; ++i) {
      const Waiter waiter{.thread = i, .events = context.state.slots[i].events.count()};
      if (requests(i)) unserved_.push_back(waiter);
    }
  }

  void check() {
    const Clock::time_point until = Clock::now() + kLongest;
    pass_ = context_.let_pass_once();
    while (Clock::now() < until) {
      std::erase_if(unserved_, [&](const Waiter& waiter) {
        return context_.state.slots[waiter.thread].events.count() != waiter.events;
      });
      if (unserved_.empty()) return;
      std::this_thread::sleep_for(kBetweenLooks);
      add(context_.state.beat);
      const std::optional<std::vector<std::uint32_t>> waiting = waiting_threads();
      if (!waiting || waiting->empty()) continue;
      pause(*waiting);
      pass_ = context_.let_pass_once();
    }
  }

 private:
  // A thread that has waited since before the first pause.
  struct Waiter {
    std::uint32_t thread = 0;
    std::uint64_t events = 0;     // it had recorded then
    std::uint32_t fruitless = 0;  // pauses in which it did not get the key
  };

  bool requests(std::uint32_t thread) const {
    const PositionWords& position = context_.state.slots[thread].position;
    return event_from(get(position.doing)).kind == Event::kRequest && get(position.holds) == 0;
  }

  // The threads that have requested the key. Absent while a thread is neither at the gate nor
  // waits, so that it may hold the key.
  std::optional<std::vector<std::uint32_t>> waiting_threads() const {
    std::vector<std::uint32_t> waiting;
    for (std::uint32_t i = 0; i < threads_; ++i) {
      if (context_.has_passed(i, pass_)) continue;
      if (!requests(i)) return std::nullopt;
      waiting.push_back(i);
    }
    return waiting;
  }

  // Each thread of the program but those in `waiting` is at the gate. Ends early if a thread gets
  // the key.
  void pause(const std::vector<std::uint32_t>& waiting) {
    const std::uint64_t events = events_of(waiting);
    const std::map<pid_t, Scheduling> before = scheduling_of_all();
    const Clock::time_point until = Clock::now() + kPause;
    while (Clock::now() < until) {
      std::this_thread::sleep_for(kBetweenLooks);
      if (events_of(waiting) != events) return;
    }
    if (!each_runnable_one_ran(before)) return;
    for (Waiter& waiter : unserved_) {
      if (!ran(waiter.thread, before)) continue;
      if (++waiter.fruitless == kPausesEnough) report(waiter.thread);
    }
  }

  std::uint64_t events_of(const std::vector<std::uint32_t>& threads) const {
    std::uint64_t events = 0;
    for (const std::uint32_t thread : threads)
      events += context_.state.slots[thread].events.count();
    return events;
  }

  // The figures of the lock's own threads, too: one of them may have to grant the key.
  static std::map<pid_t, Scheduling> scheduling_of_all() {
    std::map<pid_t, Scheduling> all;
    for (const pid_t task : tasks_of(getpid())) {
      if (task != gettid()) all[task] = scheduling_of(task);
    }
    return all;
  }

  static bool each_runnable_one_ran(const std::map<pid_t, Scheduling>& before) {
    return std::all_of(before.begin(), before.end(), [](const auto& one) {
      const std::optional<TaskState> state = task_state(getpid(), one.first);
      if (!state) return true;
      return !state->held_up && !(state->runnable && scheduling_of(one.first) == one.second);
    });
  }

  bool ran(std::uint32_t thread, const std::map<pid_t, Scheduling>& before) const {
    const auto task = static_cast<pid_t>(get(context_.state.slots[thread].task));
    const auto then = before.find(task);
    if (then == before.end()) return false;
    const Scheduling now = scheduling_of(task);
    return now.cpu_ns >= then->second.cpu_ns + kCpuNsEnough ||
           now.turns >= then->second.turns + kTurnsEnough;
  }

  void report(std::uint32_t thread) {
    const Event request = event_from(get(context_.state.slots[thread].position.doing));
    threads::check(context_.state, kOwnSlot,
                   FreeKeyNotGranted{.thread = thread,
                                     .key = request.key,
                                     .pauses = kPausesEnough,
                                     .pause_ms = kPause.count()});
  }

  EpochContext& context_;
  const std::size_t threads_;
  std::uint32_t pass_ = 0;
  std::vector<Waiter> unserved_;
};

}  // namespace

void check_starvation(EpochContext& context) {
  Starvation(context).check();
}

}  // namespace lockbench::stress::threads
