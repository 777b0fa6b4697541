// SPDX-License-Identifier: Apache-2.0

#include "harness/command/run/run_command.h"

#include <iostream>
#include <utility>

#include "harness/catalog/catalog.h"
#include "harness/command/run/finish.h"
#include "harness/command/run/resume.h"
#include "harness/command/run/run_plan.h"
#include "harness/command/run/session.h"
#include "harness/plan/describe.h"
#include "harness/plan/expand.h"
#include "harness/plan/printable.h"
#include "harness/process/resources.h"
#include "harness/process/signals.h"
#include "harness/terminal/exit_code.h"

namespace lockbench {
namespace {

int complain(const absl::Status& status) {
  std::cerr << "lockbench run: " << printable(std::string(status.message())) << '\n';
  return kBadInput;
}

absl::Status check(const Cell& cell) {
  return Catalog::standard().check(cell);
}

// Names on the command line that nothing here has, told by their flag. Whether they go together is
// told by the cell, see expand.h.
absl::Status check_names(const Sweep& sweep) {
  const auto told_by = [](const std::string& flag, const absl::Status& status) {
    return absl::Status(status.code(), flag + ": " + std::string(status.message()));
  };
  for (const PrimitiveSpec& primitive : sweep.primitives) {
    const absl::Status status = check({.primitive = primitive, .workload = {"counter", ""}});
    if (absl::IsInvalidArgument(status)) return told_by("--primitive", status);
  }
  for (const WorkloadSpec& workload : sweep.workloads) {
    const absl::Status status = check({.primitive = {"global", {}}, .workload = workload});
    if (absl::IsInvalidArgument(status)) return told_by("--workload", status);
  }
  return absl::OkStatus();
}

absl::StatusOr<Preset> chosen_preset(const RunOptions& options) {
  if (absl::Status status = check_names(options.overrides.sweep); !status.ok()) return status;
  if (options.preset) {
    const absl::StatusOr<Preset> preset = load_preset(*options.preset);
    if (!preset.ok()) return preset.status();
    return apply(*preset, options.overrides);
  }
  Preset preset = preset_from(options.overrides);
  // Applied again only to be told of flags that the mode leaves without a meaning.
  if (const auto applied = apply(preset, options.overrides); !applied.ok()) {
    return applied.status();
  }
  return preset;
}

int print_plan(const Plan& plan) {
  for (const Trial& trial : plan.trials) std::cout << printable(describe(trial)) << '\n';
  std::cout << plan.trials.size() << (plan.trials.size() == 1 ? " trial" : " trials") << " in "
            << plan.blocks << (plan.blocks == 1 ? " block" : " blocks") << ", about "
            << rough_duration(expected_s(plan.trials)) << '\n';
  return 0;
}

SessionSettings settings_of(const RunOptions& options) {
  const auto say = [options](const FinishedSession& session) {
    return finish_run(session, options.program, options.format);
  };
  return {.progress = options.progress, .program = options.program, .finished = say};
}

int resume(const RunOptions& options) {
  note_signals();
  absl::StatusOr<ResumedRun> run = resume_run(*options.resume);
  if (!run.ok()) return complain(run.status());
  for (const Trial& trial : run->writer.meta().plan.trials) {
    const absl::Status known = check(trial.cell);
    if (known.ok()) continue;
    return complain(absl::Status(known.code(), std::string(known.message()) +
                                                   "; if it comes from a plug-in, name that, too, "
                                                   "by --plugin"));
  }
  for (const std::string& repair : run->repairs)
    std::cerr << "lockbench run: " << printable(repair) << '\n';
  absl::StatusOr<MeasuredRun> before = read_measured_run(*options.resume);
  if (!before.ok()) return complain(before.status());
  return Session(std::move(run->writer), std::move(run->done), std::move(before->measurements),
                 settings_of(options))
      .run();
}

int begin(const RunOptions& options, Plan plan) {
  std::optional<RunAim> aim;
  if (options.precision) aim = {.precision = *options.precision, .budget = options.budget};
  return run_plan(std::move(plan), options.out, options.words, settings_of(options), aim);
}

}  // namespace

int run_command(const RunOptions& options) {
  if (options.resume) return resume(options);
  const absl::StatusOr<Preset> preset = chosen_preset(options);
  if (!preset.ok()) return complain(preset.status());
  absl::StatusOr<Plan> plan = expand(*preset, check);
  if (!plan.ok()) return complain(plan.status());
  if (options.dry_run) return print_plan(*plan);
  return begin(options, *std::move(plan));
}

}  // namespace lockbench
