// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/run_plan.h"

#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <absl/strings/str_format.h>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/base/shell_command.h"
#include "harness/bench/catalog/catalog.h"
#include "harness/bench/command/run/plugins.h"
#include "harness/bench/command/run/presets.h"
#include "harness/bench/measure/calibration.h"
#include "harness/bench/record/build.h"
#include "harness/bench/record/machine.h"
#include "harness/bench/record/measurement.h"
#include "harness/bench/record/meta.h"
#include "harness/bench/record/recovery.h"
#include "harness/bench/record/stamp.h"
#include "harness/bench/record/target.h"
#include "harness/process/resources.h"
#include "harness/process/signals.h"

namespace lockbench {

namespace {

absl::StatusOr<CellTraits> check(const Cell& cell) {
  return Catalog::standard().check(cell);
}

// Reports names on the command line that do not exist, with their flag. Whether they can be
// combined is checked for each cell (see expand.h).
absl::Status check_names(const Sweep& sweep) {
  const auto flag_error = [](const std::string& flag, const absl::Status& status) {
    return absl::Status(status.code(), flag + ": " + std::string(status.message()));
  };
  for (const PrimitiveSpec& primitive : sweep.primitives) {
    const absl::Status status =
        check({.primitive = primitive, .workload = {kDefaultWorkload, ""}}).status();
    if (absl::IsInvalidArgument(status)) return flag_error("--primitive", status);
  }
  for (const WorkloadSpec& workload : sweep.workloads) {
    const SweepDefaults usual = Catalog::standard().defaults_for(workload.name);
    const absl::Status status =
        check({.primitive = {"global", {}}, .workload = workload, .write_share = usual.write_share})
            .status();
    if (absl::IsInvalidArgument(status)) return flag_error("--workload", status);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Preset> chosen_preset(const std::optional<std::string>& name,
                                     const Overrides& overrides) {
  if (absl::Status status = check_names(overrides.sweep); !status.ok()) return status;
  if (name) {
    const absl::StatusOr<Preset> preset = load_preset(*name);
    if (!preset.ok()) return preset.status();
    return apply(*preset, overrides);
  }
  Preset preset = preset_from(overrides, [](const WorkloadSpec& workload) {
    return Catalog::standard().defaults_for(workload.name);
  });
  // Applied again only to get the errors for flags that have no meaning in this mode.
  if (const auto applied = apply(preset, overrides); !applied.ok()) {
    return applied.status();
  }
  return preset;
}

namespace {

void say(const std::string& command, const std::string& what) {
  if (!what.empty()) lockbench::say(std::cerr, "lockbench " + command, what);
}

// Why the machine is not the target of the plan; empty if it is.
std::string target_note(const Machine& machine, const std::string& target_name) {
  const Target* const target = find_target(target_name);
  if (target == nullptr) return {};
  const TargetMatch match = match_target(machine, *target);
  return match.matches ? "" : match.note;
}

}  // namespace

int run_plan(Plan plan, const std::optional<std::filesystem::path>& out,
             const std::vector<std::string>& words, SessionSettings settings,
             const std::optional<RunAim>& aim) {
  note_signals();
  const std::string command = settings.command;
  const Machine machine = read_machine();
  const RunIdentity identity{.run_id = new_run_id(plan.preset),
                             .preset = plan.preset,
                             .target = plan.target,
                             .machine = machine.id.value_or("")};
  const std::filesystem::path folder =
      out.value_or(std::filesystem::path("results") / "runs" / identity.run_id);
  absl::StatusOr<RunWriter> writer = RunWriter::create(folder, {.run = identity,
                                                                .started_at = utc_now(),
                                                                .command = shell_command(words),
                                                                .machine = machine,
                                                                .build = this_build(),
                                                                .plugins = plugin_records(plan),
                                                                .calibration = calibrate(),
                                                                .plan = std::move(plan)});
  if (!writer.ok()) {
    say(command, std::string(writer.status().message()));
    return kBadInput;
  }
  say(command, target_note(machine, identity.target));
  Session session(*std::move(writer), {}, {}, std::move(settings));
  if (aim) session.aim_for(*aim);
  return session.run();
}

namespace {

absl::Status cannot_be_read(const absl::Status& status) {
  return absl::Status(status.code(), std::string(status.message()) +
                                         "; name the folder of a run that was interrupted");
}

// Returns whether all trials have their row and the run is recorded as finished.
absl::StatusOr<bool> is_finished(const Meta& meta, const std::filesystem::path& trials) {
  if (meta.end.state != RunEnd::State::kFinished) return false;
  const absl::StatusOr<std::string> text = read_file(trials, kMostRunFileBytes);
  if (!text.ok()) return cannot_be_read(text.status());
  const absl::StatusOr<RecoveredTrials> recovered =
      recover_trials(*text, trials.string(), meta.run, meta.plan);
  if (!recovered.ok()) return recovered.status();
  return recovered->done.size() == meta.plan.trials.size();
}

absl::StatusOr<FinishedSession> read_finished(const std::filesystem::path& folder) {
  absl::StatusOr<MeasuredRun> run = read_measured_run(folder);
  if (!run.ok()) return run.status();
  return finished_session(folder.string(), std::move(run->meta.plan), std::move(run->measurements));
}

bool is_computed(const Plan& plan) {
  return !plan.trials.empty() && !plan.trials.front().cell.machine.empty();
}

// OK if the run can be continued by the command for rows of this kind.
absl::Status check_kind(const Meta& meta, const std::filesystem::path& folder, RowKind kind) {
  if (meta.shard) {
    return absl::FailedPreconditionError(
        absl::StrFormat("%s: holds shard %s of a plan; to go on with it, give its own command "
                        "again: %s",
                        folder.string(), to_text(*meta.shard), meta.command));
  }
  const bool computed = is_computed(meta.plan);
  if (computed == (kind == RowKind::kComputed)) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrFormat(
      "%s: the rows are %s; to go on with it: lockbench %s --resume %s", folder.string(),
      computed ? "predictions" : "measurements", computed ? "predict" : "run", folder.string()));
}

}  // namespace

absl::StatusOr<std::variant<ResumedRun, FinishedSession>> resume_run(
    const std::filesystem::path& folder, RowKind kind) {
  const std::filesystem::path meta_file = folder / "meta.json";
  const absl::StatusOr<std::string> text = read_file(meta_file, kMostRunFileBytes);
  if (!text.ok()) return cannot_be_read(text.status());
  const absl::StatusOr<Meta> meta = parse_meta(*text, meta_file.string());
  if (!meta.ok()) return meta.status();
  if (absl::Status status = check_kind(*meta, folder, kind); !status.ok()) return status;
  const absl::StatusOr<bool> finished = is_finished(*meta, folder / "trials.csv");
  if (!finished.ok()) return finished.status();
  if (*finished) return read_finished(folder);
  const Machine machine = kind == RowKind::kComputed ? meta->machine : read_machine();
  const std::string obstacle =
      why_not_resume(*meta, machine, this_build(), plugin_records(meta->plan));
  if (!obstacle.empty()) {
    return absl::FailedPreconditionError(folder.string() + ": " + obstacle);
  }
  return open_for_resume(folder);
}

}  // namespace lockbench
