// SPDX-License-Identifier: Apache-2.0

#include "harness/command/run/resume.h"

#include <string>
#include <utility>

#include <absl/strings/str_format.h>

#include "harness/command/run/plugins.h"
#include "harness/record/machine.h"
#include "harness/record/measurement.h"
#include "harness/record/meta.h"
#include "harness/record/recovery.h"

namespace lockbench {
namespace {

absl::Status cannot_be_read(const absl::Status& status) {
  return absl::Status(status.code(), std::string(status.message()) +
                                         "; name the folder of a run that was interrupted");
}

// Whether all trials have their row and the run is recorded as finished.
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

bool is_predicted(const Plan& plan) {
  return !plan.trials.empty() && !plan.trials.front().cell.machine.empty();
}

// Whether the run can be continued by the command for rows of this kind.
absl::Status check_kind(const Meta& meta, const std::filesystem::path& folder, RowKind kind) {
  if (meta.shard) {
    return absl::FailedPreconditionError(
        absl::StrFormat("%s: holds shard %s of a plan; to go on with it, give its own command "
                        "again: %s",
                        folder.string(), to_text(*meta.shard), meta.command));
  }
  const bool predicted = is_predicted(meta.plan);
  if (predicted == (kind == RowKind::kPredicted)) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrFormat(
      "%s: the rows are %s; to go on with it: lockbench %s --resume %s", folder.string(),
      predicted ? "predictions" : "measurements", predicted ? "predict" : "run", folder.string()));
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
  // A prediction does not depend on the machine that computes it.
  const Machine machine = kind == RowKind::kPredicted ? meta->machine : read_machine();
  const std::string obstacle =
      why_not_resume(*meta, machine, this_build(), plugin_records(meta->plan));
  if (!obstacle.empty()) {
    return absl::FailedPreconditionError(folder.string() + ": " + obstacle);
  }
  return open_for_resume(folder);
}

}  // namespace lockbench
