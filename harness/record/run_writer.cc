// SPDX-License-Identifier: Apache-2.0

#include "harness/record/run_writer.h"

#include <string_view>
#include <system_error>

#include <absl/strings/str_format.h>

#include "harness/plan/block.h"
#include "harness/record/csv.h"
#include "harness/record/latency.h"
#include "harness/record/recovery.h"
#include "harness/record/schema.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;

fs::path trials_path(const fs::path& folder) {
  return folder / "trials.csv";
}
fs::path latency_path(const fs::path& folder) {
  return folder / "latency.csv";
}
fs::path schema_path(const fs::path& folder) {
  return folder / "schema.json";
}

fs::path meta_path(const fs::path& folder) {
  return folder / "meta.json";
}

absl::Status holds_a_run(const fs::path& path) {
  return absl::AlreadyExistsError(
      absl::StrFormat("%s: the folder already holds a run; resume that run, or name another folder",
                      path.string()));
}

// Makes the folder; it must not hold any of a run's files.
absl::Status make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return absl::UnavailableError(
        absl::StrFormat("%s: cannot be made: %s; name a folder that can be written",
                        folder.string(), error.message()));
  }
  for (const fs::path& path : {trials_path(folder), latency_path(folder), meta_path(folder)}) {
    if (fs::exists(path, error)) return holds_a_run(path);
  }
  return absl::OkStatus();
}

// As `status`, with what would be right said after it.
absl::Status advised(const absl::Status& status, std::string_view advice) {
  return absl::Status(status.code(), absl::StrFormat("%s; %s", status.message(), advice));
}

absl::StatusOr<Meta> read_meta(const fs::path& folder) {
  const fs::path path = meta_path(folder);
  const absl::StatusOr<std::string> text = read_file(path);
  if (!text.ok()) return advised(text.status(), "without it a run cannot be resumed");
  return parse_meta(*text, path.string());
}

// Leaves whole rows, and a header.
absl::StatusOr<RecoveredTrials> mend_trials(AppendFile& trials, const Meta& meta,
                                            std::vector<std::string>& repairs) {
  const absl::StatusOr<std::string> text = read_file(trials.path());
  if (!text.ok()) return text.status();
  absl::StatusOr<RecoveredTrials> recovered =
      recover_trials(*text, trials.path().string(), meta.run, meta.plan.trials.size());
  if (!recovered.ok()) return recovered;
  if (recovered->torn_bytes > 0) {
    if (absl::Status cut = trials.cut_to(recovered->whole_bytes); !cut.ok()) return cut;
    repairs.push_back(absl::StrFormat("%s: its last line was torn; %d bytes cut off",
                                      trials.path().string(), recovered->torn_bytes));
  }
  if (recovered->header_missing) {
    if (absl::Status header = trials.append(csv_record(trial_header())); !header.ok()) {
      return header;
    }
  }
  return recovered;
}

// Leaves the rows of attempts that have theirs in trials.csv, and a header.
absl::StatusOr<AppendFile> mend_latency(const fs::path& path, const RunIdentity& run,
                                        const std::set<AttemptId>& attempts,
                                        std::vector<std::string>& repairs) {
  absl::StatusOr<std::string> text = read_file(path);
  if (absl::IsNotFound(text.status()) && attempts.empty()) text = std::string();
  if (!text.ok()) return advised(text.status(), "put it back, or start a new run");
  const absl::StatusOr<RecoveredLatency> recovered =
      recover_latency(*text, path.string(), run, attempts);
  if (!recovered.ok()) return recovered.status();
  if (recovered->text != *text) {
    if (absl::Status status = replace_file(path, recovered->text); !status.ok()) return status;
  }
  if (recovered->dropped_rows > 0) {
    repairs.push_back(absl::StrFormat("%s: %d rows of trials that were cut short dropped",
                                      path.string(), recovered->dropped_rows));
  }
  return AppendFile::open(path);
}

}  // namespace

absl::StatusOr<RunWriter> RunWriter::create(const fs::path& folder, const Meta& meta) {
  if (absl::Status status = make_folder(folder); !status.ok()) return status;
  absl::StatusOr<AppendFile> trials = AppendFile::create(trials_path(folder));
  if (absl::IsAlreadyExists(trials.status())) return holds_a_run(trials_path(folder));
  if (!trials.ok()) return advised(trials.status(), "name a folder that can be written");
  absl::StatusOr<RunWriter> writer = begin(folder, meta, std::move(*trials));
  if (!writer.ok()) {
    std::error_code ignored;  // the reason to tell is the first one
    fs::remove(meta_path(folder), ignored);
    fs::remove(schema_path(folder), ignored);
    fs::remove(latency_path(folder), ignored);
    fs::remove(trials_path(folder), ignored);
  }
  return writer;
}

absl::StatusOr<RunWriter> RunWriter::begin(const fs::path& folder, const Meta& meta,
                                           AppendFile trials) {
  absl::Status status = replace_file(meta_path(folder), meta_text(meta));
  status.Update(replace_file(schema_path(folder), schema_json()));
  if (!status.ok()) return status;
  absl::StatusOr<AppendFile> latency = AppendFile::create(latency_path(folder));
  if (!latency.ok()) return latency.status();
  status = latency->append(csv_record(latency_header()));
  if (!status.ok()) return status;
  status = trials.append(csv_record(trial_header()));
  if (!status.ok()) return status;
  return RunWriter(folder, meta, std::move(trials), std::move(*latency));
}

absl::Status RunWriter::append(const Row& row) {
  if (row.run != meta_.run) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: a row of run \"%s\" is not for run \"%s\"", trials_.path().string(),
                        row.run.run_id, meta_.run.run_id));
  }
  const std::uint64_t latency_before = latency_.size();
  if (absl::Status status = latency_.append(latency_records(row)); !status.ok()) return status;
  absl::Status status = trials_.append(csv_record(trial_fields(row)));
  if (status.ok()) {
    if (row.attempt == 0) ++meta_.end.trials_done;
  } else {
    status.Update(latency_.cut_to(latency_before));
  }
  return status;
}

absl::Status RunWriter::extend(std::span<const Cell> cells) {
  Meta extended = meta_;
  append_block(extended.plan, cells);
  absl::Status status = replace_file(meta_path(folder_), meta_text(extended));
  if (status.ok()) meta_ = std::move(extended);
  return status;
}

absl::Status RunWriter::note(const Surroundings& surroundings) {
  meta_.surroundings = surroundings;
  return replace_file(meta_path(folder_), meta_text(meta_));
}

absl::Status RunWriter::finish(RunEnd::State state, double session_s) {
  meta_.end.state = state;
  meta_.end.wall_s += session_s;
  absl::Status status = trials_.sync();
  status.Update(latency_.sync());
  status.Update(replace_file(meta_path(folder_), meta_text(meta_)));
  return status;
}

absl::StatusOr<ResumedRun> open_for_resume(const fs::path& folder) {
  absl::StatusOr<AppendFile> trials = AppendFile::open(trials_path(folder));
  if (absl::IsNotFound(trials.status())) {
    return advised(trials.status(), "name the folder of a run that was interrupted");
  }
  if (!trials.ok()) return trials.status();
  absl::StatusOr<Meta> meta = read_meta(folder);
  if (!meta.ok()) return meta.status();
  std::vector<std::string> repairs;
  const absl::StatusOr<RecoveredTrials> recovered = mend_trials(*trials, *meta, repairs);
  if (!recovered.ok()) return recovered.status();
  absl::StatusOr<AppendFile> latency =
      mend_latency(latency_path(folder), meta->run, recovered->attempts, repairs);
  if (!latency.ok()) return latency.status();
  meta->end.state = RunEnd::State::kRunning;
  meta->end.trials_done = static_cast<std::uint32_t>(recovered->done.size());
  absl::Status status = replace_file(meta_path(folder), meta_text(*meta));
  if (!status.ok()) return status;
  return ResumedRun{
      .writer = RunWriter(folder, std::move(*meta), std::move(*trials), std::move(*latency)),
      .done = recovered->done,
      .repairs = std::move(repairs)};
}

}  // namespace lockbench
