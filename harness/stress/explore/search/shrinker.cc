// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/search/shrinker.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "harness/stress/explore/execution/checked_run.h"
#include "harness/stress/explore/search/strategies.h"
#include "harness/stress/litmus/shrink.h"

namespace lockbench::stress::explore {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// A smaller program must fail within this many executions. Otherwise the larger one is kept. Few at
// first: of a program with many acts, most may be left out, and those that may not take the time.
constexpr int kTries[] = {8, 50, 400};
constexpr std::uint32_t kPreemptions = 2;
constexpr auto kMost = 1s;
constexpr auto kLeast = 100ms;
constexpr auto kForTheSchedule = 1s;  // even if the program took all the time
constexpr std::size_t kLongSchedule = 256;
constexpr std::uint32_t kReruns = 10;  // of which all but the first need time
constexpr auto kForTheReruns = 2s;

// Adapts the schedule to the program without one of its threads.
std::vector<Option> schedule_without(const std::vector<Option>& schedule,
                                     std::optional<std::size_t> thread) {
  if (!thread) return schedule;
  const std::size_t number = *thread + 1;  // thread 0 starts the program's threads
  std::vector<Option> without;
  for (Option option : schedule) {
    // For other kinds `thread` is the number of a thread; for these two it is an age.
    const bool of_store = option.kind == Option::kRead || option.kind == Option::kPosition;
    const bool of_thread = option.kind != Option::kTime && !of_store;
    if (of_thread && option.thread == number) continue;
    if (of_thread && option.thread > number) --option.thread;
    without.push_back(option);
  }
  return without;
}

class Shrinker {
 public:
  Shrinker(World& world, const RegisteredLock& entry, const Pace& pace, Counterexample found)
      : world_(world), entry_(entry), pace_(pace), kept_(std::move(found)) {}

  Counterexample shrink(Clock::time_point end_of_budget) {
    const auto now = Clock::now();
    until_ = std::max(now + kLeast, std::min<Clock::time_point>(now + kMost, end_of_budget));
    for (const int tries : kTries) {
      tries_ = tries;
      while (shrink_program()) {
      }
    }
    until_ = std::max<Clock::time_point>(until_, Clock::now() + kForTheSchedule);
    shorten_schedule();
    const auto last_rerun = Clock::now() + kForTheReruns;
    do {
      ++kept_.reruns;
      kept_.failures += follows(kept_.schedule.decisions, std::nullopt);
    } while (kept_.reruns < kReruns && Clock::now() < last_rerun);
    if (std::optional<Counterexample> told =
            replay(world_, entry_, kept_.program, kept_.schedule)) {
      kept_.failure = std::move(told->failure);
      kept_.steps = std::move(told->steps);
      kept_.old_stores = std::move(told->old_stores);
    }
    return std::move(kept_);
  }

 private:
  bool is_over() const { return Clock::now() > until_; }

  struct Execution {
    std::optional<Failure> failure;
    std::vector<Option> decisions;
  };

  Execution execute(const LitmusProgram& program, Strategy& strategy,
                    std::optional<Clock::time_point> until) {
    world_.set_conditions(kept_.schedule.conditions);
    world_.end_by(until);
    CheckedRun run(world_, entry_, program);
    World::Execution execution = world_.run([&] { run.run(); }, strategy);
    return {run.verdict(execution.end), std::move(execution.schedule)};
  }

  // A failure by another oracle is a different fault.
  bool is_alike(const Execution& execution) const {
    return execution.failure && execution.failure->oracle == kept_.failure.oracle;
  }

  // True if an execution of the program fails alike. Then it is kept.
  bool fails_alike(const LitmusProgram& program, Strategy& strategy) {
    if (is_over()) return false;
    Execution execution = execute(program, strategy, until_);
    if (!is_alike(execution)) return false;
    kept_.failure = *std::move(execution.failure);
    kept_.program = program;
    kept_.schedule.decisions = std::move(execution.decisions);
    return true;
  }

  bool fails_alike(const SmallerProgram& smaller) {
    ScheduleReplay same(schedule_without(kept_.schedule.decisions, smaller.without));
    if (fails_alike(smaller.program, same)) return true;
    for (int i = 0; i < tries_ && !is_over(); ++i) {
      Pct strategy(static_cast<std::uint64_t>(i), 1 + static_cast<std::uint32_t>(i) % 4,
                   pace_.steps_of(smaller.program));
      if (fails_alike(smaller.program, strategy)) return true;
    }
    DepthFirst search(kPreemptions);
    for (int i = 0; i < tries_ && !search.exhausted() && !is_over(); ++i, search.next()) {
      if (fails_alike(smaller.program, search)) return true;
    }
    return false;
  }

  // Keeps the first smaller program that still fails. Returns false if none does.
  bool shrink_program() {
    const std::vector<SmallerProgram> all = smaller_programs(kept_.program, entry_.abilities);
    return std::any_of(all.begin(), all.end(), [this](const SmallerProgram& smaller) {
      return !is_over() && fails_alike(smaller);
    });
  }

  // True if these decisions lead to the failure before `until`.
  bool follows(const std::vector<Option>& decisions, std::optional<Clock::time_point> until) {
    ScheduleReplay strategy(decisions);
    return is_alike(execute(kept_.program, strategy, until));
  }

  // Replaces choices of old stores by the last store, and removes decisions one by one from the
  // end, as long as the execution still fails.
  void shorten_schedule() {
    std::vector<Option>& schedule = kept_.schedule.decisions;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
      const bool old = schedule[i].kind == Option::kRead || schedule[i].kind == Option::kPosition;
      if (!old || schedule[i].thread == 0 || is_over()) continue;
      std::vector<Option> newer = schedule;
      newer[i].thread = 0;
      if (follows(newer, until_)) schedule = std::move(newer);
    }
    // Large pieces of a long schedule are tried first: it has too many decisions to try each.
    std::size_t piece = schedule.size() > kLongSchedule ? std::bit_floor(schedule.size()) / 2 : 1;
    for (; piece != 0; piece /= 2) {
      for (std::size_t end = schedule.size(); end != 0;) {
        if (is_over()) return;
        const std::size_t begin = end - std::min(piece, end);
        std::vector<Option> without = schedule;
        without.erase(without.begin() + static_cast<std::ptrdiff_t>(begin),
                      without.begin() + static_cast<std::ptrdiff_t>(end));
        if (follows(without, until_)) schedule = std::move(without);
        end = begin;
      }
    }
  }

  World& world_;
  const RegisteredLock& entry_;
  const Pace& pace_;
  Counterexample kept_;
  Clock::time_point until_{};
  int tries_ = 0;  // of each strategy, for each smaller program
};

}  // namespace

Counterexample shrunk(World& world, const RegisteredLock& entry, const Pace& pace,
                      Counterexample found, Clock::time_point end_of_budget) {
  world.use(found.memory_model);
  return Shrinker(world, entry, pace, std::move(found)).shrink(end_of_budget);
}

}  // namespace lockbench::stress::explore
