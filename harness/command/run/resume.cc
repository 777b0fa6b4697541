// SPDX-License-Identifier: Apache-2.0

#include "harness/command/run/resume.h"

#include <string>

#include <absl/strings/str_format.h>

#include "harness/record/machine.h"
#include "harness/record/meta.h"
#include "harness/record/recovery.h"

namespace lockbench {
namespace {

absl::Status cannot_be_read(const absl::Status& status) {
  return absl::Status(status.code(), std::string(status.message()) +
                                         "; name the folder of a run that was interrupted");
}

// If a user has removed a row, the trial is measured again: only a run with all its rows is
// finished.
absl::Status check_unfinished(const Meta& meta, const std::filesystem::path& trials) {
  if (meta.end.state != RunEnd::State::kFinished) return absl::OkStatus();
  const absl::StatusOr<std::string> text = read_file(trials, kMostRunFileBytes);
  if (!text.ok()) return cannot_be_read(text.status());
  const absl::StatusOr<RecoveredTrials> recovered =
      recover_trials(*text, trials.string(), meta.run, meta.plan);
  if (!recovered.ok()) return recovered.status();
  if (recovered->done.size() < meta.plan.trials.size()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      trials.parent_path().string() + ": the run is finished, all " +
      std::to_string(recovered->done.size()) +
      " trials have their row; plot or compare it, or start a new run");
}

bool is_predicted(const Plan& plan) {
  return !plan.trials.empty() && !plan.trials.front().cell.machine.empty();
}

absl::Status check_resumable(const std::filesystem::path& folder, RowKind kind) {
  const std::filesystem::path meta_file = folder / "meta.json";
  const absl::StatusOr<std::string> text = read_file(meta_file, kMostRunFileBytes);
  if (!text.ok()) return cannot_be_read(text.status());
  const absl::StatusOr<Meta> meta = parse_meta(*text, meta_file.string());
  if (!meta.ok()) return meta.status();
  if (meta->shard) {
    return absl::FailedPreconditionError(
        absl::StrFormat("%s: holds shard %s of a plan; to go on with it, give its own command "
                        "again: %s",
                        folder.string(), to_text(*meta->shard), meta->command));
  }
  if (absl::Status status = check_unfinished(*meta, folder / "trials.csv"); !status.ok()) {
    return status;
  }
  const bool predicted = is_predicted(meta->plan);
  if (predicted != (kind == RowKind::kPredicted)) {
    return absl::FailedPreconditionError(
        absl::StrFormat("%s: the rows are %s; to go on with it: lockbench %s --resume %s",
                        folder.string(), predicted ? "predictions" : "measurements",
                        predicted ? "predict" : "run", folder.string()));
  }
  // A prediction does not depend on the machine that computes it.
  const Machine machine = predicted ? meta->machine : read_machine();
  const std::string obstacle = why_not_resume(*meta, machine, this_build());
  if (obstacle.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(folder.string() + ": " + obstacle);
}

}  // namespace

absl::StatusOr<ResumedRun> resume_run(const std::filesystem::path& folder, RowKind kind) {
  if (absl::Status status = check_resumable(folder, kind); !status.ok()) return status;
  return open_for_resume(folder);
}

}  // namespace lockbench
