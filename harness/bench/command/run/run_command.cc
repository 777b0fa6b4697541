// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/run_command.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/base/printable.h"
#include "harness/base/shell_command.h"
#include "harness/bench/catalog/catalog.h"
#include "harness/bench/command/run/baseline_link.h"
#include "harness/bench/command/run/core_binding.h"
#include "harness/bench/command/run/finish.h"
#include "harness/bench/command/run/run_plan.h"
#include "harness/bench/command/run/run_servers.h"
#include "harness/bench/command/run/run_shard.h"
#include "harness/bench/command/run/session.h"
#include "harness/bench/plan/describe.h"
#include "harness/bench/plan/expand.h"
#include "harness/bench/record/machine.h"
#include "harness/process/analysis_command.h"
#include "harness/process/resources.h"
#include "harness/process/signals.h"

namespace lockbench {
namespace {

// Below this number of blocks nothing can be decided. A plan of fewer blocks is measured as it is.
constexpr std::uint32_t kFirstBlocks = 3;

// True if the run adds blocks until comparisons are decided. A shard measures the blocks of the
// preset or of --blocks, because a task does not know what the others decided. Without these and
// without --precision, a run first measures a few blocks of all cells, and then blocks of the cells
// whose comparisons are open. Without the Python modules that decide, the plan is fixed.
bool decides(const RunOptions& options, const Preset& preset) {
  return !options.shard && !options.precision && !options.overrides.blocks &&
         preset.blocks > kFirstBlocks && analysis_words("follow", {}).ok();
}

// Twice the time of the fixed plan, because half of it may decide little; at least a minute.
Nanoseconds default_budget(const Plan& plan) {
  const std::chrono::duration<double> twice(2 * expected_s(plan.trials));
  return std::max<Nanoseconds>(std::chrono::minutes(1),
                               std::chrono::duration_cast<Nanoseconds>(twice));
}

absl::StatusOr<RunAim> aim_of(const RunOptions& options, const Preset& preset) {
  RunAim aim{.precision = options.precision, .same_within = options.same_within};
  if (options.budget) {
    aim.budget = *options.budget;
  } else if (options.precision) {
    aim.budget = std::chrono::minutes(5);
  } else {
    const absl::StatusOr<Plan> fixed = expand(preset, traits_here);
    if (!fixed.ok()) return fixed.status();
    aim.budget = default_budget(*fixed);
  }
  return aim;
}

std::string summary_of(const std::vector<Trial>& trials, const std::string& in) {
  return absl::StrCat(counted(trials.size(), "trial"), " in ", in, ", about ",
                      rough_duration(expected_s(trials)));
}

// The output of a dry run: first the totals, then, if requested, one line for each trial.
int print_dry_run(const std::vector<std::string>& summary, const std::vector<Trial>& trials,
                  const RunOptions& options) {
  for (const std::string& line : summary) std::cout << printable(line) << '\n';
  if (!options.verbose) return kSuccess;
  std::cout << '\n';
  for (const Trial& trial : trials) {
    std::cout << printable(describe(trial, expected_ns(trial))) << '\n';
  }
  return kSuccess;
}

int print_plan(const Plan& plan, const std::optional<RunAim>& aim, const RunOptions& options) {
  std::vector<std::string> summary;
  if (plan.title) summary.push_back(*plan.title);
  summary.push_back(summary_of(plan.trials, counted(plan.blocks, "block")));
  if (plan.windows) summary.push_back(*plan.windows);
  if (aim) {
    summary.push_back(absl::StrCat(
        "then blocks of the cells ",
        aim->precision ? "whose medians are not narrow enough"
                       : "whose comparisons are not decided",
        ", at most ", rough_duration(std::chrono::duration<double>(aim->budget).count()),
        " in all"));
  }
  return print_dry_run(summary, plan.trials, options);
}

// Only a run with exit code 0 becomes a baseline.
int name_baseline(const RunOptions& options, const std::string& folder) {
  const std::string& name = *options.save_baseline;
  const absl::Status saved = save_baseline(name, folder);
  if (!saved.ok()) {
    return complain(std::cerr, "lockbench run: --save-baseline", saved, kCouldNotFinish);
  }
  std::cerr << "Saved as baseline " << name << "; to check a later run: "
            << shell_command({options.program, "gate", "RUN", "--against", name}) << '\n';
  return kSuccess;
}

SessionSettings settings_of(const RunOptions& options) {
  const auto finished = [options](const FinishedSession& session) {
    const int code = finish_run(session, options.program, options.format);
    if (code != kSuccess || !options.save_baseline) return code;
    return name_baseline(options, session.folder);
  };
  return {.progress = options.progress,
          .program = options.program,
          .patience = options.patience,
          .finished = finished};
}

int resume(const RunOptions& options) {
  note_signals();
  auto resumed = resume_run(*options.resume);
  if (!resumed.ok()) return complain(std::cerr, kRunCommand, resumed.status());
  if (const auto* finished = std::get_if<FinishedSession>(&*resumed)) {
    return finish_again(*finished, settings_of(options));
  }
  ResumedRun* const run = &std::get<ResumedRun>(*resumed);
  for (const Trial& trial : run->writer.meta().plan.trials) {
    const absl::Status known = traits_here(trial.cell).status();
    if (known.ok()) continue;
    return complain(std::cerr, kRunCommand,
                    absl::Status(known.code(), std::string(known.message()) +
                                                   "; if it comes from a plug-in, name that, too, "
                                                   "by --plugin"));
  }
  for (const std::string& repair : run->repairs) say(std::cerr, kRunCommand, repair);
  absl::StatusOr<MeasuredRun> before = read_measured_run(*options.resume);
  if (!before.ok()) return complain(std::cerr, kRunCommand, before.status());
  // One folder has the rows of one server.
  if (options.services.empty() && absl::StrContains(run->writer.meta().command, " --service")) {
    return complain(std::cerr, kRunCommand,
                    absl::FailedPreconditionError(absl::StrCat(
                        options.resume->string(),
                        ": was measured at a server that --service named; name it again")));
  }
  const absl::StatusOr<std::unique_ptr<RunServers>> servers =
      start_servers(run->writer.meta().plan.trials, options.services);
  if (!servers.ok()) return complain(std::cerr, kRunCommand, servers.status());
  return Session(std::move(run->writer), run->done, std::move(before->measurements),
                 settings_of(options))
      .run();
}

int print_shard(const Plan& plan, const RunOptions& options) {
  const auto seconds = [](const Trial& trial) { return expected_anywhere_s(trial); };
  const absl::StatusOr<std::vector<std::uint32_t>> numbers =
      trials_of_shard(plan, *options.shard, seconds);
  if (!numbers.ok()) return complain(std::cerr, kRunCommand, numbers.status());
  std::vector<Trial> trials;
  for (const std::uint32_t number : *numbers) trials.push_back(plan.trials[number]);
  const std::string in = absl::StrCat("shard ", to_text(*options.shard), " of ", plan.trials.size(),
                                      " trials in ", counted(plan.blocks, "block"));
  return print_dry_run({summary_of(trials, in)}, trials, options);
}

int shard(Plan plan, const RunOptions& options) {
  if (options.dry_run) return print_shard(plan, options);
  const absl::StatusOr<std::unique_ptr<RunServers>> servers =
      start_servers(plan.trials, options.services);
  if (!servers.ok()) return complain(std::cerr, kRunCommand, servers.status());
  SessionSettings settings = settings_of(options);
  settings.finished = [shard = *options.shard](const FinishedSession& session) {
    return finish_shard(session, shard);
  };
  return run_shard(std::move(plan), *options.shard, *options.out, options.words,
                   std::move(settings));
}

// Leaves those numbers of threads in the sweeps that are at most `most`, and removes sweeps without
// any. Returns the numbers that were removed.
std::set<std::uint32_t> leave_threads_within(std::uint32_t most, Preset& preset) {
  std::set<std::uint32_t> removed;
  std::erase_if(preset.sweeps, [&](Sweep& sweep) {
    const std::size_t count = std::erase_if(sweep.threads, [&](std::uint32_t threads) {
      if (threads > most) removed.insert(threads);
      return threads > most;
    });
    // Without threads, a sweep would have the default of one.
    return count != 0 && sweep.threads.empty();
  });
  return removed;
}

absl::Status leave_out_beyond_processors(Preset& preset) {
  const std::uint32_t processors = read_machine().usable_threads.value_or(1);
  const std::set<std::uint32_t> removed = leave_threads_within(processors, preset);
  const std::string numbers = absl::StrJoin(removed, ", ");
  if (preset.sweeps.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--up-to-processors: all cells have more threads (", numbers, ") than the ",
                     processors, " processors here; leave it out, or predict them"));
  }
  if (!removed.empty()) {
    std::cerr << "lockbench run: measures up to as many threads as processors, " << processors
              << "; leaves out " << numbers << ", which lockbench predict predicts\n";
  }
  return absl::OkStatus();
}

absl::Status take_processes(Preset& preset) {
  for (Sweep& sweep : preset.sweeps) {
    if (sweep.workloads.empty()) sweep.workloads = {{kDefaultWorkload, {}}};
    for (WorkloadSpec& workload : sweep.workloads) {
      const absl::StatusOr<WorkloadSpec> other = Catalog::standard().in_processes(workload);
      if (!other.ok()) {
        return absl::InvalidArgumentError(
            absl::StrCat("--processes: ", std::string(other.status().message())));
      }
      workload = *other;
    }
  }
  return absl::OkStatus();
}

}  // namespace

int run_command(const RunOptions& options) {
  if (options.resume) return resume(options);
  Overrides overrides = options.overrides;
  if (options.count_events) overrides.sweep.count_events = true;
  absl::StatusOr<Preset> preset = chosen_preset(options.preset, overrides);
  if (!preset.ok()) return complain(std::cerr, kRunCommand, preset.status());
  if (options.processes) {
    const absl::Status taken = take_processes(*preset);
    if (!taken.ok()) return complain(std::cerr, kRunCommand, taken);
  }
  if (options.up_to_processors) {
    const absl::Status left_out = leave_out_beyond_processors(*preset);
    if (!left_out.ok()) return complain(std::cerr, kRunCommand, left_out);
  }
  const std::string binding = bind_by_default(*preset);
  if (!binding.empty()) say(std::cerr, kRunCommand, binding);
  std::optional<RunAim> aim;
  if (options.precision || decides(options, *preset)) {
    const absl::StatusOr<RunAim> wanted = aim_of(options, *preset);
    if (!wanted.ok()) return complain(std::cerr, kRunCommand, wanted.status());
    aim = *wanted;
    if (!aim->precision) preset->blocks = kFirstBlocks;
  }
  absl::StatusOr<Plan> plan = expand(*preset, traits_here);
  if (!plan.ok()) return complain(std::cerr, kRunCommand, plan.status());
  // A dry run may be of a plan for another machine.
  const absl::Status placed = options.dry_run ? absl::OkStatus() : check_pinnings(plan->trials);
  if (!placed.ok()) return complain(std::cerr, kRunCommand, placed);
  if (options.shard) return shard(*std::move(plan), options);
  if (options.dry_run) return print_plan(*plan, aim, options);
  const absl::StatusOr<std::unique_ptr<RunServers>> servers =
      start_servers(plan->trials, options.services);
  if (!servers.ok()) return complain(std::cerr, kRunCommand, servers.status());
  return run_plan(*std::move(plan), options.out, options.words, settings_of(options), aim);
}

}  // namespace lockbench
