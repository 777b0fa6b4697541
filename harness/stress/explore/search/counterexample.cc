// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/search/counterexample.h"

#include <utility>

#include "harness/stress/explore/execution/checked_run.h"
#include "harness/stress/explore/search/strategies.h"
#include "harness/stress/trace/deciding.h"

namespace lockbench::stress::explore {
namespace {

// For longer traces, and for more decisions, finding the accesses that decide would take too long.
constexpr std::size_t kMostSteps = 1000;
constexpr std::size_t kMostUndone = 8;

// The steps of the execution with these decisions; empty if it fails or does not end.
std::vector<TraceStep> steps_if_it_passes(World& world, const RegisteredLock& entry,
                                          const LitmusProgram& program,
                                          const std::vector<Option>& decisions) {
  ScheduleReplay strategy(decisions);
  CheckedRun run(world, entry, program);
  World::Execution execution = world.run([&] { run.run(); }, strategy, true);
  if (execution.end != End::kFinished || run.verdict(execution.end)) return {};
  Failure none;
  return run.trace_of(execution, none);
}

// Undoes each of the last decisions alone. Of the executions that then pass, the one that differs
// in the order of the fewest accesses shows which decide.
void mark_deciding_steps(World& world, const RegisteredLock& entry,
                         const std::vector<Option>& decisions, Counterexample& told) {
  if (told.steps.size() > kMostSteps) return;
  std::vector<std::pair<std::size_t, std::size_t>> fewest;
  std::size_t undone = 0;
  for (std::size_t i = decisions.size(); i-- > 0 && undone != kMostUndone;) {
    if (decisions[i].kind == Option::kSettle) continue;
    ++undone;
    constexpr Option kFirst{.kind = Option::kRun, .thread = 0xff};  // is no thread
    std::vector<Option> otherwise = decisions;
    otherwise[i] = kFirst;
    const auto pairs =
        reordered(told.steps, steps_if_it_passes(world, entry, told.program, otherwise));
    if (!pairs.empty() && (fewest.empty() || pairs.size() < fewest.size())) fewest = pairs;
  }
  for (const auto& [first, second] : fewest) {
    told.steps[first].decides = told.steps[second].decides = true;
  }
}

}  // namespace

std::optional<Counterexample> replay(World& world, const RegisteredLock& entry,
                                     const LitmusProgram& program, const Schedule& schedule) {
  ScheduleReplay strategy(schedule.decisions);
  world.set_conditions(schedule.conditions);
  world.end_by(std::nullopt);
  CheckedRun run(world, entry, program);
  World::Execution execution = world.run([&] { run.run(); }, strategy, true);
  std::optional<Failure> failure = run.verdict(execution.end);
  if (!failure) return std::nullopt;
  std::vector<TraceStep> steps = run.trace_of(execution, *failure);
  Counterexample told{.failure = *std::move(failure),
                      .strategy = "replay",
                      .program = program,
                      .memory_model = world.memory_model(),
                      .schedule = {schedule.conditions, std::move(execution.schedule)},
                      .steps = std::move(steps),
                      .old_stores = std::move(execution.old_stores)};
  // Those that were given, because in the complete schedule the next decision makes up for one that
  // is undone.
  mark_deciding_steps(world, entry, schedule.decisions, told);
  return told;
}

}  // namespace lockbench::stress::explore
