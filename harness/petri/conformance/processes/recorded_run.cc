// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/conformance/processes/recorded_run.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <memory>
#include <optional>
#include <sched.h>
#include <sys/wait.h>

#include "harness/petri/conformance/processes/possible_traces.h"
#include "harness/petri/conformance/recorder.h"
#include "harness/petri/conformance/recording_runner.h"
#include "harness/stress/interpreter.h"
#include "harness/stress/supervision/children.h"
#include "harness/stress/supervision/stall_detector.h"
#include "harness/stress/supervision/watched_child.h"
#include "harness/stress/trace/shared_words.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/shared_array.h"
#include "primitives/platform/thread.h"
#include "workloads/random.h"

namespace lockbench::stress::processes {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr microseconds kTick{200};
constexpr milliseconds kBetweenChecks{5};  // between two stall checks, which take some time

// The longest time between two faults. A run takes a few milliseconds.
constexpr std::uint64_t kLongestGapUs = 2000;

// Each stop takes tens of milliseconds.
constexpr std::uint64_t kMostStops = 3;

// One of this many kills hits any process, wherever it is.
constexpr std::uint64_t kOneUnaimedIn = 8;

// Two processes with the same number are distinguished by the tick of 10 ms in which they began.
constexpr milliseconds kOldEnough{30};

class Run {
 public:
  Run(const RegisteredLock& entry, const RunPlan& plan, FaultKind fault)
      : plan_(plan),
        fault_(fault),
        lock_(entry.make(plan.program.keys())),
        recorder_(count(), plan.acts()),
        processes_(count()),
        stalls_(count()),
        random_(derive_seed(plan.seed, count())) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  ~Run() {
    for (const std::uint32_t i : living()) {
      kill_child(processes_[i]);
      collect_child(processes_[i]);
    }
    for (const pid_t unrelated : unrelated_) {
      kill_child(unrelated);
      collect_child(unrelated);
    }
  }

  RecordedRun run() {
    for (std::uint32_t i = 0; i < count(); ++i) {
      processes_[i] = start_child([this, i] { live(i); });
    }
    if (fault_ == FaultKind::kRecycle) platform::sleep_until(platform::now() + kOldEnough);
    put(*go_, 1);
    const bool still = !await_all();
    complete(still);
    return std::move(result_);
  }

 private:
  std::uint32_t count() const { return static_cast<std::uint32_t>(plan_.program.threads.size()); }

  std::vector<std::uint32_t> living() const {
    std::vector<std::uint32_t> living;
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (processes_[i] != 0) living.push_back(i);
    }
    return living;
  }

  void live(std::uint32_t number) {
    RecordingRunner runner(recorder_, number, plan_.yields, plan_.seed);
    Interpreter interpreter(runner, *lock_, plan_.program.threads[number], number);
    while (get(*go_) == 0) sched_yield();
    for (std::uint32_t i = 0; i < plan_.passes; ++i) interpreter.run();
  }

  // Returns false if all remaining processes are stalled or if a process ended badly.
  bool await_all() {
    platform::Time look = platform::now();
    platform::Time next = look;
    for (;; platform::sleep_until(platform::now() + kTick)) {
      collect();
      if (!result_.ended_badly.empty()) return false;
      if (living().empty()) return true;
      const platform::Time now = platform::now();
      if (now >= next && inject_fault()) {
        next = platform::now() + microseconds(random_.below(kLongestGapUs));
        aims_ = random_.below(kOneUnaimedIn) != 0;
        waiters_needed_ = 1 + static_cast<std::ptrdiff_t>(random_.below(2));
      }
      if (now < look) continue;
      if (all_stand_still()) return false;
      look = platform::now() + kBetweenChecks;
    }
  }

  bool all_stand_still() {
    const std::vector<std::uint32_t> left = living();
    // Calls every detector, because each of them needs regular calls.
    const auto still = std::count_if(left.begin(), left.end(), [this](std::uint32_t i) {
      const pid_t process = processes_[i];
      return stalls_[i].reached(recorder_.count(), process, tasks_of(process));
    });
    return static_cast<std::size_t>(still) == left.size();
  }

  void collect() {
    for (const std::uint32_t i : living()) {
      int status = 0;
      if (waitpid(processes_[i], &status, WNOHANG) != processes_[i]) continue;
      processes_[i] = 0;
      if (result_.ended_badly.empty()) {
        result_.ended_badly = status_text("process " + std::to_string(i + 1), status);
      }
    }
  }

  // Returns false if there was no process to kill or stop.
  bool inject_fault() {
    if (fault_ == FaultKind::kNone) return false;
    const std::optional<std::uint32_t> victim = this->victim();
    if (!victim) return false;
    if (fault_ == FaultKind::kStop) {
      stop(*victim);
    } else {
      kill(*victim);
    }
    return true;
  }

  // In most cases a process that holds while others wait, so that the fault affects them soon. At
  // least one process must remain, so that the state of the lock can be seen afterwards.
  std::optional<std::uint32_t> victim() {
    std::vector<std::uint32_t> fit = living();
    const bool kills = fault_ != FaultKind::kStop;
    const bool enough =
        kills ? result_.faults.killed + 1 == count() : result_.faults.stopped == kMostStops;
    if (fit.empty() || enough) return std::nullopt;
    if (fault_ != FaultKind::kKill || aims_) {
      const auto wants = [this](std::uint32_t i) { return recorder_.pending(i).has_value(); };
      const auto others = static_cast<std::ptrdiff_t>(fit.size()) - 1;
      const auto waiting = std::count_if(fit.begin(), fit.end(), wants);
      if (waiting < std::min(waiters_needed_, others)) return std::nullopt;
      std::erase_if(fit, [this](std::uint32_t i) { return !recorder_.is_holding(i); });
    }
    if (fit.empty()) return std::nullopt;
    return fit[random_.below(fit.size())];
  }

  void kill(std::uint32_t victim) {
    const pid_t number = processes_[victim];
    recorder_.append({.kind = Event::kDie, .thread = static_cast<std::uint8_t>(victim)});
    kill_child(number);
    ++result_.faults.killed;
    if (recorder_.is_holding(victim)) ++result_.faults.killed_inside;
    collect_child(number);
    processes_[victim] = 0;
    if (fault_ != FaultKind::kRecycle) return;
    if (const std::optional<pid_t> unrelated = start_unrelated_process(number)) {
      unrelated_.push_back(*unrelated);
      ++result_.faults.recycled;
    }
  }

  void stop(std::uint32_t victim) {
    stop_child(processes_[victim]);
    ++result_.faults.stopped;
    if (recorder_.is_holding(victim)) {
      ++result_.faults.stopped_inside;
      platform::sleep_until(platform::now() + milliseconds(10 + random_.below(20)));
    }
    ::kill(processes_[victim], SIGCONT);
  }

  void complete(bool stuck) {
    Trace trace;
    std::vector<std::optional<Event>> pending;
    for (std::uint32_t i = 0; i < count(); ++i) pending.push_back(recorder_.pending(i));
    if (stuck && result_.ended_badly.empty()) {
      trace.end = Trace::kStuck;
      for (const std::uint32_t i : living()) {
        if (pending[i]) trace.waits.push_back(*pending[i]);
      }
    } else if (!stuck) {
      check_quiescent_state(trace);
    }
    for (std::vector<Event>& events : possible_traces(recorder_.events(), pending)) {
      trace.events = std::move(events);
      result_.possible.push_back(trace);
    }
  }

  // A new process makes these checks.
  void check_quiescent_state(Trace& trace) {
    const platform::SharedObject<Remains> remains;
    const ChildEnd end = watch_child([&] { remains->look_at(*lock_, plan_.program.keys(), false); },
                                     [&] { return get(remains->looked); });
    if (end.stalled || !end.says.empty()) {
      result_.ended_badly =
          end.stalled ? "a call on a lock that nobody uses did not return" : end.says;
    } else {
      remains->tell(trace);
    }
  }

  const RunPlan& plan_;
  const FaultKind fault_;
  const std::unique_ptr<LockUnderTest> lock_;
  Recorder recorder_;
  const platform::SharedObject<Word> go_;
  std::vector<pid_t> processes_;  // 0: has ended
  std::vector<StallDetector> stalls_;
  std::vector<pid_t> unrelated_;
  Random random_;
  // For the next fault: whether it hits a holder, and how many processes must be waiting then.
  bool aims_ = true;
  std::ptrdiff_t waiters_needed_ = 1;
  RecordedRun result_;
};

}  // namespace

RecordedRun run_recorded(const RegisteredLock& entry, const RunPlan& plan, FaultKind fault) {
  return Run(entry, plan, fault).run();
}

}  // namespace lockbench::stress::processes
