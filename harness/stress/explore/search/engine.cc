// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/search/engine.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_split.h>

#include "harness/stress/explore/execution/blocked_watch.h"
#include "harness/stress/explore/execution/crash_catcher.h"
#include "harness/stress/explore/memory/model_names.h"
#include "harness/stress/explore/search/own_process.h"
#include "harness/stress/explore/search/schedule.h"
#include "harness/stress/explore/search/schedule_explorer.h"
#include "harness/stress/explore/search/weaken.h"
#include "harness/stress/litmus/demand.h"
#include "harness/stress/oracles/unchecked.h"
#include "harness/stress/oracles/unvaried.h"
#include "harness/stress/trace/trace_text.h"
#include "harness/symbols/source_places.h"

namespace lockbench::stress::explore {
namespace {

using Report = stress::Report;

// The memory models in a text such as "tso,c11", in this order. An empty text means both of these:
// the failures under tso come first, because they are those of this machine.
absl::StatusOr<std::vector<MemoryModel>> memory_models_from(const std::string& text) {
  if (text.empty()) return std::vector<MemoryModel>{MemoryModel::kTso, MemoryModel::kC11};
  std::vector<MemoryModel> memory_models;
  const std::vector<std::string> names = absl::StrSplit(text, ',');
  for (const std::string& name : names) {
    const std::optional<MemoryModel> memory_model = memory_model_named(name);
    if (!memory_model) {
      return absl::InvalidArgumentError(
          absl::StrCat("`", name, "` is no memory model; say sc, tso or c11, or several: tso,c11"));
    }
    if (std::find(memory_models.begin(), memory_models.end(), *memory_model) !=
        memory_models.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the memory model ", name, " is there twice; say tso,c11"));
    }
    memory_models.push_back(*memory_model);
  }
  return memory_models;
}

// For example "reads 0 from lock+8: the value of step 12 (lock.h:31), 3 stores old".
TraceStep step_of(const World::OldStore& old) {
  const std::vector<SourceLocation> locations = locations_of_calls({old.code, old.of_code});
  TraceStep step{
      .at = old.step,
      .thread = old.thread == 0 ? kMainThread : static_cast<std::int32_t>(old.thread) - 1,
      .text = {},
      .act = "old_store",
      .source_line = stress::to_text(locations[0]),
      .access = true};
  const char* const stores = old.age == 1 ? " store" : " stores";
  if (!old.reads) {
    step.text = absl::StrCat("stores to ", old.name, ": before the last",
                             old.age == 1 ? "" : absl::StrCat(" ", old.age), stores,
                             " of its modification order");
    return step;
  }
  const std::string made = old.of_code == nullptr
                               ? std::string("its first value")
                               : absl::StrCat("the value of step ", old.of_step, " (",
                                              stress::to_text(locations[1]), ")");
  step.text = absl::StrCat("reads ", old.value, " from ", old.name, ": ", made, ", ", old.age,
                           stores, " old");
  return step;
}

// Inserts each choice of an old store after the other lines of its step.
std::vector<TraceStep> steps_of(const Counterexample& counterexample) {
  std::vector<TraceStep> steps = counterexample.steps;
  for (const World::OldStore& old : counterexample.old_stores) {
    auto after = steps.end();
    while (after != steps.begin() && std::prev(after)->at > old.step) --after;
    steps.insert(after, step_of(old));
  }
  return steps;
}

void report_failure(const Counterexample& counterexample, const RegisteredLock& entry,
                    Report& report) {
  report.verdict = Verdict::kFailed;
  report.failure = counterexample.failure;
  report.how = absl::StrCat(counterexample.strategy, ", ", name_of(counterexample.memory_model));
  report.found_after_s = counterexample.seconds;
  report.steps = steps_of(counterexample);
  report.trace = to_text(with_polls_folded(report.steps));
  report.replay.exact = counterexample.failures == counterexample.reruns;
  report.replay.reruns = counterexample.reruns;
  report.replay.failures = counterexample.failures;
  if (!report.replay.exact) report.remarks.emplace_back(kNotTheSameTwice);
  report.replay.options = {"--engine",   "sim",
                           "--program",  to_text(counterexample.program),
                           "--schedule", to_text(counterexample.schedule),
                           "--memory",   name_of(counterexample.memory_model)};
  const std::string names = remark_on_names(counterexample.program, entry.abilities);
  if (!names.empty()) report.remarks.push_back(names);
}

absl::StatusOr<Report> report_of_replay(World& world, const RegisteredLock& entry,
                                        const Order& order, const LitmusProgram& program) {
  const absl::StatusOr<Schedule> schedule = schedule_from(order.schedule);
  if (!schedule.ok()) return schedule.status();
  Report report{.engine = "sim", .lock = entry.name};
  if (const std::optional<Counterexample> told = replay(world, entry, program, *schedule)) {
    report_failure(*told, entry, report);
  } else {
    report.verdict = Verdict::kInconclusive;
    report.remarks.push_back(absl::StrCat("one schedule was replayed under ",
                                          name_of(world.memory_model()), " and broke nothing"));
  }
  return report;
}

bool of_one_program(const ExploredProgram& one, const ExploredProgram& other) {
  return one.program == other.program && one.memory_model == other.memory_model;
}

bool of_one_search(const ExploredProgram& one, const ExploredProgram& other) {
  return of_one_program(one, other) && one.every == other.every;
}

std::string bound_of(const ExploredProgram& explored) {
  const std::string memory_model = name_of(explored.memory_model);
  if (explored.every) return absl::StrCat("in every interleaving under ", memory_model);
  const char* const stores = explored.memory_model == MemoryModel::kC11 ? " and 2 old stores" : "";
  return absl::StrFormat("under %s with at most %d preemptions%s", memory_model,
                         explored.preemptions, stores);
}

ExploredLitmus reported(const ExploredProgram& explored) {
  return {.program = to_text(explored.program),
          .bound = bound_of(explored),
          .whole = explored.whole,
          .executions = explored.executions,
          .states = explored.states,
          .seconds = explored.seconds};
}

// Reports each program with the highest bound up to which it was explored completely. If there is
// no such bound, it is reported if `incomplete` is set.
void report_explored(const std::vector<ExploredProgram>& explored, bool incomplete,
                     Report& report) {
  for (std::size_t i = 0; i < explored.size(); ++i) {
    const auto later =
        std::any_of(explored.begin() + static_cast<std::ptrdiff_t>(i) + 1, explored.end(),
                    [&](const ExploredProgram& e) {
                      return (e.whole || incomplete) && of_one_search(e, explored[i]);
                    });
    if (!later && (explored[i].whole || incomplete)) {
      report.explored.push_back(reported(explored[i]));
    }
  }
}

std::chrono::duration<double> share_of_a_memory_model(const ExploreOptions& options) {
  return std::chrono::duration<double>(options.budget) / options.memory_models.size();
}

// True if the memory model had at least a tenth of its share of the budget: with less, it says
// nothing that no execution failed.
bool had_its_share(const MemoryModelWork& work, const ExploreOptions& options) {
  constexpr double kLeastPart = 0.1;
  return work.time >= kLeastPart * share_of_a_memory_model(options);
}

// Adds one remark for each memory model: how much was executed under it.
void report_work(const std::vector<MemoryModelWork>& memory_models, const ExploreOptions& options,
                 Report& report) {
  for (const MemoryModelWork& work : memory_models) {
    std::string text =
        absl::StrFormat("under %s: %d executions in %.1f s, all clean", name_of(work.memory_model),
                        work.executions, std::chrono::duration<double>(work.time).count());
    if (!options.exhaustive && !had_its_share(work, options)) {
      absl::StrAppendFormat(&text, "; too little of its share of %.1f s to call the lock clean",
                            share_of_a_memory_model(options).count());
    }
    // Uses the rule of three: A. Eypasch et al., "Probability of adverse events that have not yet
    // occurred", 1995.
    if (work.drawn != 0) {
      absl::StrAppendFormat(
          &text, "; %d of them drawn at random: fewer than 1 in %d of such fail, at 95 %%",
          work.drawn, std::max<std::uint64_t>(work.drawn / 3, 1));
    }
    report.remarks.push_back(text);
  }
}

// Says what the memory models that were used leave out.
void report_limits(const std::vector<MemoryModel>& memory_models, Report& report) {
  if (std::find(memory_models.begin(), memory_models.end(), MemoryModel::kC11) ==
      memory_models.end()) {
    report.remarks.push_back(
        "what ARM and POWER allow was not explored: say --memory tso,c11 (docs/stress-engines.md)");
    return;
  }
  report.remarks.push_back(
      "the model c11 leaves out load buffering: no load reads a store that is made after it "
      "(docs/stress-engines.md)");
}

// True if each load read the newest store, each store came last, and nothing failed spuriously:
// then the execution is one of any machine. What only the rules of C++ forbid, an order that is
// missing, still shows nowhere.
bool is_plain_interleaving(const Counterexample& found) {
  if (found.failure.oracle == Oracle::kOrdering || found.failure.oracle == Oracle::kLifetime) {
    return false;
  }
  const std::vector<Option>& decisions = found.schedule.decisions;
  return std::none_of(decisions.begin(), decisions.end(), [](const Option& one) {
    const bool is_old =
        (one.kind == Option::kRead || one.kind == Option::kPosition) && one.thread != 0;
    return is_old || one.kind == Option::kSpurious;
  });
}

// Says that a failure under c11 is not one of x86, if the same search found none there.
void report_memory_model(const Outcome& outcome, Report& report) {
  if (outcome.counterexample->memory_model != MemoryModel::kC11) return;
  if (is_plain_interleaving(*outcome.counterexample)) {
    report.remarks.push_back(
        "no step of this failure reads an old value: it is an interleaving that x86 has, too");
    return;
  }
  for (const MemoryModelWork& work : outcome.work) {
    if (work.memory_model != MemoryModel::kTso || work.executions == 0) continue;
    report.remarks.push_back(absl::StrFormat(
        "under tso, which is x86, none of %d executions failed; C++20 allows this failure, so ARM "
        "and POWER may show it; a lock that claims x86 alone is tested with --memory tso",
        work.executions));
  }
}

bool all_is_explored(const Outcome& outcome, std::uint32_t most_preemptions) {
  const std::vector<ExploredProgram>& explored = outcome.explored;
  const auto is_whole = [&](const ExploredProgram& one) {
    return std::any_of(explored.begin(), explored.end(), [&](const ExploredProgram& other) {
      return of_one_program(one, other) && other.whole && other.preemptions >= most_preemptions;
    });
  };
  return !explored.empty() && std::all_of(explored.begin(), explored.end(), is_whole);
}

// The verdict if no execution failed. An exhaustive exploration is asked about its programs alone,
// which need not evaluate every oracle.
Verdict verdict_of(const Outcome& outcome, const ExploreOptions& options,
                   const Abilities& abilities) {
  const auto missed = [&](const MemoryModelWork& work) {
    return work.executions == 0 || (!options.exhaustive && !had_its_share(work, options));
  };
  if (std::any_of(outcome.work.begin(), outcome.work.end(), missed)) return Verdict::kInconclusive;
  if (options.exhaustive) {
    return all_is_explored(outcome, options.most_preemptions) ? Verdict::kClean
                                                              : Verdict::kInconclusive;
  }
  return clean_or_inconclusive(outcome.evaluations, needed_oracles(kSimEngine, abilities));
}

// Reports in place of the blocked thread, which cannot.
void report_blocked(const RegisteredLock& entry, const std::string& where,
                    const ReportLast& report_last) {
  Report report{.engine = "sim", .lock = entry.name, .verdict = Verdict::kInconclusive};
  report.remarks.push_back(
      absl::StrCat("cannot be simulated: no call comes back from ", where,
                   ", which waits for what does not pass primitives/platform; let "
                   "lockbench_add_plugin() build it with SIMULATE"));
  report_last(report);
}

absl::StatusOr<Report> test_here(const RegisteredLock& entry, const Order& order,
                                 const ReportProgress& report_progress, ExecutionAhead& ahead,
                                 const ReportLast& report_last) {
  const absl::StatusOr<std::vector<MemoryModel>> memory_models =
      memory_models_from(order.memory.empty() ? entry.memory : order.memory);
  if (!memory_models.ok()) return memory_models.status();
  ExploreOptions options{.budget = order.budget,
                         .seed = order.seed,
                         .most_preemptions = order.preemptions,
                         .memory_models = *memory_models,
                         .exhaustive = order.exhaustive};
  options.progress = [&](const Outcome& so_far) {
    report_progress(absl::StrFormat("%d schedules", so_far.executions));
  };
  if (!order.program.empty()) {
    // One of the simulated threads starts and joins the others.
    absl::StatusOr<LitmusProgram> program = program_from(order.program, kMaxThreads - 1);
    if (!program.ok()) return program.status();
    options.program = *std::move(program);
  }
  if (!order.schedule.empty() && !options.program) {
    return absl::InvalidArgumentError("a schedule belongs to a program: say --program, too");
  }
  if (!order.schedule.empty() && !order.memory.empty() && memory_models->size() > 1) {
    return absl::InvalidArgumentError(
        "a schedule belongs to one memory model: say --memory tso or --memory c11");
  }
  World world(
      memory_models->front());  // for a schedule without --memory: the lock's first memory model
  world.write_ahead(&ahead);
  const CrashCatcher catcher;
  const BlockedWatch watch(
      [&world, others = std::uint64_t{0}]() mutable {
        return world.in_program() ? world.beats() : ~++others;
      },
      [&](const std::string& where) { report_blocked(entry, where, report_last); });
  if (!order.schedule.empty()) return report_of_replay(world, entry, order, *options.program);
  if (order.weaken) return weaken_orders(world, entry, order, report_progress);

  Outcome outcome = ScheduleExplorer(world, entry, options).test_lock();
  Report report{.engine = "sim", .lock = entry.name};
  report.evaluations = outcome.evaluations;
  report.seconds = outcome.seconds;
  report.figures = {{"executions", static_cast<double>(outcome.executions)},
                    {"steps", static_cast<double>(outcome.steps)},
                    {"steps_per_s", static_cast<double>(outcome.steps) / outcome.seconds},
                    {"executions_cut_off", static_cast<double>(outcome.too_long)},
                    {"lock_operations", static_cast<double>(outcome.acquisitions)},
                    {"contended_operations", static_cast<double>(outcome.contended)}};
  if (!outcome.deterministic) {
    outcome.refusal = kNotTheSameTwice;
  }
  if (!outcome.refusal.empty()) {
    report.verdict = Verdict::kInconclusive;
    report.remarks.push_back(absl::StrCat("cannot be simulated: ", outcome.refusal));
    return report;
  }
  report_explored(outcome.explored, options.exhaustive, report);
  if (outcome.counterexample) {
    report_failure(*outcome.counterexample, entry, report);
    report_memory_model(outcome, report);
    return report;
  }
  report.verdict = verdict_of(outcome, options, entry.abilities);
  if (!options.exhaustive) {
    const std::string unevaluated =
        unevaluated_remark(needed_oracles(kSimEngine, entry.abilities), report.evaluations);
    if (!unevaluated.empty()) report.remarks.push_back(unevaluated);
  }
  if (report.verdict == Verdict::kClean) {
    report.remarks.push_back(unvaried_remark(kSimEngine, entry.abilities));
    const std::string unchecked = unchecked_remark(entry.abilities, report.evaluations);
    if (!options.program && !options.exhaustive && !unchecked.empty()) {
      report.remarks.push_back(unchecked);
    }
  }
  if (options.exhaustive && !outcome.obstacle.empty()) {
    report.remarks.push_back(
        absl::StrCat("not every interleaving was explored, only those with few preemptions: ",
                     outcome.obstacle));
  }
  report_work(outcome.work, options, report);
  report_limits(*memory_models, report);
  return report;
}

}  // namespace

absl::StatusOr<Report> test_lock(const RegisteredLock& entry, const Order& order,
                                 const ReportProgress& report_progress) {
  return test_in_own_process(
      entry, order, [&](const Order& wanted, ExecutionAhead& ahead, const ReportLast& report_last) {
        return test_here(entry, wanted, report_progress, ahead, report_last);
      });
}

}  // namespace lockbench::stress::explore
