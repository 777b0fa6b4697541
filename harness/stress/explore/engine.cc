// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/engine.h"

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <optional>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "harness/stress/explore/blocked_watch.h"
#include "harness/stress/explore/conformance.h"
#include "harness/stress/explore/schedule.h"
#include "harness/stress/explore/schedule_explorer.h"
#include "harness/stress/trace/trace_step.h"

namespace lockbench::stress::explore {
namespace {

using Report = stress::Report;

absl::StatusOr<Model> model_from(const std::string& name) {
  if (name == "tso") return Model::kTso;
  if (name == "sequential") return Model::kSequential;
  return absl::InvalidArgumentError(
      absl::StrCat("`", name, "` is no memory model; say tso or sequential"));
}

void report_failure(const Counterexample& counterexample, const Order& order, Report& report) {
  report.verdict = Verdict::kFailed;
  report.failure = counterexample.failure;
  report.how = counterexample.strategy;
  report.found_after_s = counterexample.seconds;
  report.steps = counterexample.steps;
  report.trace = to_text(counterexample.steps);
  report.replay.exact = true;
  report.replay.options = {"--engine",   "sim",
                           "--program",  to_text(counterexample.program),
                           "--schedule", to_text(counterexample.schedule)};
  if (order.memory != "tso") {
    report.replay.options.insert(report.replay.options.end(), {"--memory", order.memory});
  }
}

absl::StatusOr<Report> replay(World& world, const RegisteredLock& entry, const Order& order,
                              const LitmusProgram& program) {
  const absl::StatusOr<std::vector<Option>> schedule = schedule_from(order.schedule);
  if (!schedule.ok()) return schedule.status();
  Report report{.engine = "sim", .lock = entry.name};
  if (const std::optional<Counterexample> told =
          ScheduleExplorer::replay(world, entry, program, *schedule)) {
    report_failure(*told, order, report);
  } else {
    report.verdict = Verdict::kInconclusive;
    report.remarks.push_back("one schedule was replayed and broke nothing");
  }
  return report;
}

// "every execution of `…` with at most 3 preemptions", once per program, at its highest bound.
void tell_explored(const std::vector<ExploredProgram>& explored, Report& report) {
  for (std::size_t i = 0; i < explored.size(); ++i) {
    const auto later =
        std::any_of(explored.begin() + static_cast<std::ptrdiff_t>(i) + 1, explored.end(),
                    [&](const ExploredProgram& e) { return e.program == explored[i].program; });
    if (later) continue;
    report.remarks.push_back(
        absl::StrFormat("whole: `%s` with at most %d preemptions: %d executions, %d states, %.3f s",
                        to_text(explored[i].program), explored[i].preemptions,
                        explored[i].executions, explored[i].states, explored[i].seconds));
  }
}

// In place of the report that the thread that is blocked would have returned.
void report_blocked(const RegisteredLock& entry, const std::string& where) {
  Report report{.engine = "sim", .lock = entry.name, .verdict = Verdict::kInconclusive};
  report.remarks.push_back(
      absl::StrCat("cannot be simulated: no call comes back from ", where,
                   ", which waits for what does not pass primitives/platform; let "
                   "lockbench_add_plugin() build it with SIMULATE"));
  std::cout << to_json(report) << std::endl;
}

}  // namespace

absl::StatusOr<Report> test_lock(const RegisteredLock& entry, const Order& order,
                                 const Tell& tell) {
  if (!order.net.empty()) return check_conformance(entry, order, tell);
  const absl::StatusOr<Model> model = model_from(order.memory);
  if (!model.ok()) return model.status();
  ExploreOptions options{
      .budget = order.budget, .seed = order.seed, .most_preemptions = order.preemptions};
  options.progress = [&](const Outcome& so_far) {
    tell(absl::StrFormat("%d schedules", so_far.executions));
  };
  if (!order.program.empty()) {
    // One of the simulated threads is the one that starts and awaits the others.
    absl::StatusOr<LitmusProgram> program = program_from(order.program, kMaxThreads - 1);
    if (!program.ok()) return program.status();
    options.program = *std::move(program);
  }
  if (!order.schedule.empty() && !options.program) {
    return absl::InvalidArgumentError("a schedule belongs to a program: say --program, too");
  }
  World world(*model);
  const BlockedWatch watch(
      [&world, others = std::uint64_t{0}]() mutable {
        return world.in_program() ? world.beats() : ~++others;
      },
      [&](const std::string& where) { report_blocked(entry, where); });
  if (!order.schedule.empty()) return replay(world, entry, order, *options.program);

  Outcome outcome = ScheduleExplorer(world, entry, options).test_lock();
  if (!outcome.deterministic) {
    return absl::InternalError(
        absl::StrCat("`", entry.name,
                     "` does not do the same thing twice under one schedule, so it cannot be "
                     "explored: it uses a clock, a thread or an address that does not pass "
                     "primitives/platform"));
  }
  Report report{.engine = "sim", .lock = entry.name};
  report.evaluations = outcome.evaluations;
  report.seconds = outcome.seconds;
  report.figures = {{"executions", static_cast<double>(outcome.executions)},
                    {"steps", static_cast<double>(outcome.steps)},
                    {"steps_per_s", static_cast<double>(outcome.steps) / outcome.seconds},
                    {"executions_cut_off", static_cast<double>(outcome.too_long)},
                    {"lock_operations", static_cast<double>(outcome.acquisitions)},
                    {"contended_operations", static_cast<double>(outcome.contended)}};
  if (!outcome.refusal.empty()) {
    report.verdict = Verdict::kInconclusive;
    report.remarks.push_back(absl::StrCat("cannot be simulated: ", outcome.refusal));
    return report;
  }
  tell_explored(outcome.explored, report);
  if (outcome.counterexample) {
    report_failure(*outcome.counterexample, order, report);
  } else {
    report.verdict =
        clean_or_inconclusive(outcome.evaluations, needed_oracles(EngineId::kSim, entry.abilities));
    // The rule of three: A. Eypasch et al., "Probability of adverse events that have not yet
    // occurred", 1995.
    report.remarks.push_back(absl::StrFormat(
        "%d executions drawn at random, all clean: fewer than 1 in %d of such fail, "
        "at 95 %%",
        outcome.drawn, std::max<std::uint64_t>(outcome.drawn / 3, 1)));
  }
  return report;
}

}  // namespace lockbench::stress::explore
