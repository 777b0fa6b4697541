// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/attach/attached_observation.h"

#include <algorithm>
#include <cstddef>
#include <linux/futex.h>
#include <set>
#include <utility>

#include "harness/bench/measure/histogram.h"
#include "harness/observe/observation/futex_use.h"
#include "harness/observe/observation/wait_reason.h"

namespace lockbench {
namespace {

using observe::LockKind;

// True if the kernel hands a lock on (FUTEX_LOCK_PI and FUTEX_LOCK_PI2): no event.
bool is_of_the_kernel(std::uint32_t operation) {
  return operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET;
}

struct Interval {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
};

// The time in which at least one of the intervals lasts.
double covered_s(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.begin_ns < b.begin_ns; });
  std::uint64_t covered = 0;
  std::uint64_t until = 0;
  for (const Interval& one : intervals) {
    const std::uint64_t begin = std::max(one.begin_ns, until);
    if (one.end_ns > begin) covered += one.end_ns - begin;
    until = std::max(until, one.end_ns);
  }
  return static_cast<double>(covered) / 1e9;
}

// One sleep, with what it is a wait for.
struct Sleep {
  std::uint32_t thread = 0;
  std::uint64_t address = 0;
  Interval time;
  std::uint32_t operation = 0;
  const stress::StackCopy* stack = nullptr;  // nullptr: unknown
  bool ended = true;                         // before the observation did
};

// Where a thread sleeps: its callers, and what they say.
struct SleepingPlace {
  std::vector<CodeLocation> callers;
  WaitReason reason;
};

struct Merged {
  ObservedPlace place;
  std::vector<Interval> intervals;
  std::map<std::uint64_t, std::uint64_t> waits;  // by address
  std::set<std::uint32_t> threads;
  Histogram wait;
};

class Reader {
 public:
  Reader(const FutexTrace& trace, const AttachedProcess& process, const CallersOf& callers_of,
         std::uint32_t callers)
      : trace_(trace),
        process_(process),
        callers_of_(callers_of),
        callers_(std::max<std::uint32_t>(1, callers)) {}

  Observation read() {
    collect_sleeps();
    collect_waits();
    for (const Sleep& sleep : sleeps_) add(sleep);
    Observation observation;
    observation.coverage = coverage();
    observation.processes.push_back(result());
    return observation;
  }

 private:
  double window_s() const { return static_cast<double>(trace_.end_ns - trace_.begin_ns) / 1e9; }

  void collect_sleeps() {
    const auto stack_of = [this](std::size_t index) {
      return index < trace_.stacks.size() ? &trace_.stacks[index].stack : nullptr;
    };
    for (const FutexWait& wait : trace_.waits) {
      sleeps_.push_back({.thread = wait.thread,
                         .address = wait.address,
                         .time = {wait.begin_ns, wait.end_ns},
                         .operation = wait.operation,
                         .stack = stack_of(wait.stack)});
    }
    for (const auto& [thread, open] : trace_.open) {
      sleeps_.push_back({.thread = thread,
                         .address = open.address,
                         .time = {open.begin_ns, trace_.end_ns},
                         .operation = open.operation,
                         .stack = stack_of(open.stack),
                         .ended = false});
    }
    collect_sleeps_from_before();
  }

  // Threads that slept soon after the window began, and not in a wait that began within it.
  void collect_sleeps_from_before() {
    const std::uint64_t at_ns = process_.asleep_at_ns;
    std::set<std::uint32_t> began_within;
    for (const FutexWait& wait : trace_.waits) {
      if (wait.begin_ns <= at_ns && at_ns <= wait.end_ns) began_within.insert(wait.thread);
    }
    for (const auto& [thread, open] : trace_.open) {
      if (open.begin_ns <= at_ns) began_within.insert(thread);
    }
    for (const FutexStack& asleep : process_.asleep) {
      const auto left = trace_.left_ns.find(asleep.thread);
      const std::uint64_t end_ns = left == trace_.left_ns.end() ? trace_.end_ns : left->second;
      if (began_within.contains(asleep.thread) || end_ns < at_ns) continue;
      sleeps_.push_back({.thread = asleep.thread,
                         .address = asleep.address,
                         .time = {trace_.begin_ns, end_ns},
                         .operation = asleep.operation,
                         .stack = &asleep.stack,
                         .ended = left != trace_.left_ns.end()});
    }
  }

  void collect_waits() {
    std::set<std::pair<std::uint64_t, std::uint32_t>> waiters;
    for (const Sleep& sleep : sleeps_) {
      waiters.insert({sleep.address, sleep.thread});
      FutexWaits& waits = waits_[sleep.address];
      ++(sleep.ended ? waits.ended : waits.unended);
    }
    for (const auto& [who, count] : trace_.wakes) {
      FutexWaits& waits = waits_[who.first];
      (waiters.contains(who) ? waits.own_wakes : waits.other_wakes) += count;
    }
  }

  const SleepingPlace& place_of(const Sleep& sleep) {
    const auto [found, is_new] = places_of_stacks_.try_emplace(sleep.stack);
    if (!is_new || sleep.stack == nullptr) return found->second;
    std::vector<CodeLocation> callers = callers_of_(*sleep.stack);
    WaitReason reason = wait_reason(callers);
    callers.erase(callers.begin(), callers.begin() + static_cast<std::ptrdiff_t>(reason.caller));
    if (callers.size() > callers_) callers.resize(callers_);
    found->second = {.callers = std::move(callers), .reason = std::move(reason)};
    return found->second;
  }

  LockKind kind_of(const Sleep& sleep, const WaitReason& reason) const {
    if (is_of_the_kernel(sleep.operation)) return LockKind::kFutex;
    if (reason.kind == WaitKind::kLock) return LockKind::kFutex;
    if (reason.kind == WaitKind::kEvent) return LockKind::kFutexEvent;
    if (reason.kind == WaitKind::kCondition) {
      // The C library waits for the condition with FUTEX_WAIT_BITSET, and for the mutex with this.
      return sleep.operation == FUTEX_WAIT ? LockKind::kFutex : LockKind::kFutexEvent;
    }
    switch (use_of_futex(reason.functions, waits_.at(sleep.address))) {
      case FutexUse::kLock:
        return LockKind::kFutex;
      case FutexUse::kEvent:
        return LockKind::kFutexEvent;
      case FutexUse::kUnknown:
        break;
    }
    return LockKind::kFutexUnknown;
  }

  void add(const Sleep& sleep) {
    const SleepingPlace& where = place_of(sleep);
    ++sleeps_seen_;
    if (where.callers.empty()) {
      ++sleeps_without_place_;
      return;
    }
    Key key{.kind = kind_of(sleep, where.reason), .callers = {}};
    for (const CodeLocation& caller : where.callers) {
      key.callers.emplace_back(caller.module, caller.offset);
    }
    Merged& merged = merged_[key];
    merged.place.kind = key.kind;
    merged.place.callers = where.callers;
    const Interval within{std::max(sleep.time.begin_ns, trace_.begin_ns),
                          std::min(sleep.time.end_ns, trace_.end_ns)};
    merged.intervals.push_back(within);
    ++merged.waits[sleep.address];
    merged.threads.insert(sleep.thread);
    merged.wait.record(within.end_ns - std::min(within.begin_ns, within.end_ns));
    if (key.kind == LockKind::kFutex) of_locks_.push_back(within);
  }

  ObservedPlace finish(Merged& merged) const {
    ObservedPlace& place = merged.place;
    std::vector<std::uint64_t> counts;
    for (const auto& [address, count] : merged.waits) {
      counts.push_back(count);
      const FutexWaits& waits = waits_.at(address);
      place.own_posts += waits.own_wakes;
      place.other_posts += waits.other_wakes;
    }
    place.threads = static_cast<std::uint32_t>(merged.threads.size());
    place.contended = merged.wait.samples();
    place.hot_locks = hot_locks_of(counts);
    place.popularity = popularity_of(std::move(counts));
    place.blocked_s = covered_s(merged.intervals);
    place.wait = merged.wait.summary();
    if (place.kind == LockKind::kFutex) {
      place.greatest_gain = gain_of(place.blocked_s, 0, 0, window_s());
    }
    return std::move(place);
  }

  ObservedProcess result() {
    ObservedProcess result;
    result.pid = process_.pid;
    result.parent = process_.parent;
    result.program = process_.program;
    result.wall_s = window_s();
    result.threads = process_.threads;
    result.processor_s = process_.processor_s;
    result.blocked_s = covered_s(of_locks_);
    result.greatest_gain = gain_of(result.blocked_s, 0, 0, result.wall_s);
    for (auto& [key, merged] : merged_) {
      const bool lock = key.kind == LockKind::kFutex;
      (lock ? result.places : result.events).push_back(finish(merged));
    }
    for (auto* places : {&result.places, &result.events}) {
      std::stable_sort(
          places->begin(), places->end(),
          [](const ObservedPlace& a, const ObservedPlace& b) { return a.blocked_s > b.blocked_s; });
    }
    result.timeline = timeline();
    return result;
  }

  // A period for each second of the window.
  std::vector<BlockedPeriod> timeline() const {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    std::vector<BlockedPeriod> periods;
    for (std::uint64_t begin = trace_.begin_ns; begin < trace_.end_ns; begin += kSecond) {
      const std::uint64_t end = std::min(begin + kSecond, trace_.end_ns);
      std::vector<Interval> within;
      for (const Interval& one : of_locks_) {
        if (one.begin_ns >= end || one.end_ns <= begin) continue;
        within.push_back({std::max(one.begin_ns, begin), std::min(one.end_ns, end)});
      }
      periods.push_back(
          {.until_s = static_cast<double>(end - trace_.begin_ns) / 1e9,
           .blocked_share = covered_s(within) / (static_cast<double>(end - begin) / 1e9)});
    }
    return periods;
  }

  Coverage coverage() const {
    Coverage coverage;
    coverage.view = View::kKernel;
    coverage.life_s = window_s();
    coverage.window_s = window_s();
    coverage.processes = 1;
    coverage.processor_s = process_.processor_s;
    coverage.seen_processor_s = process_.processor_s;
    coverage.futex_samples = sleeps_seen_ + trace_.lost;
    coverage.seen_futex_samples = sleeps_seen_ - sleeps_without_place_;
    coverage.runtimes = process_.runtimes;
    return coverage;
  }

  struct Key {
    LockKind kind = LockKind::kFutex;
    std::vector<std::pair<std::string, std::uint64_t>> callers;

    friend auto operator<=>(const Key&, const Key&) = default;
  };

  const FutexTrace& trace_;
  const AttachedProcess& process_;
  const CallersOf& callers_of_;
  std::size_t callers_;
  std::vector<Sleep> sleeps_;
  std::map<std::uint64_t, FutexWaits> waits_;  // by address
  std::map<const stress::StackCopy*, SleepingPlace> places_of_stacks_;
  std::map<Key, Merged> merged_;
  std::vector<Interval> of_locks_;
  std::uint64_t sleeps_seen_ = 0;
  std::uint64_t sleeps_without_place_ = 0;
};

}  // namespace

Observation attached_observation(const FutexTrace& trace, const AttachedProcess& process,
                                 const CallersOf& callers_of, std::uint32_t callers) {
  return Reader(trace, process, callers_of, callers).read();
}

}  // namespace lockbench
