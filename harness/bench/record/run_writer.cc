// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/record/run_writer.h"

#include <string_view>
#include <system_error>

#include <absl/strings/str_format.h>

#include "harness/bench/plan/expand.h"
#include "harness/bench/record/csv.h"
#include "harness/bench/record/recovery.h"
#include "harness/bench/record/schema.h"

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

// `status` with `advice` appended to its message.
absl::Status advised(const absl::Status& status, std::string_view advice) {
  return absl::Status(status.code(), absl::StrFormat("%s; %s", status.message(), advice));
}

absl::Status holds_a_run(const fs::path& path) {
  return absl::AlreadyExistsError(
      absl::StrFormat("%s: the folder already holds a run; resume that run, or name another folder",
                      path.string()));
}

// Makes the folder and locks it; it must not hold any of a run's files.
absl::StatusOr<FolderLock> make_folder(const fs::path& folder) {
  const absl::Status made = make_folders(folder);
  if (!made.ok()) return advised(made, "name a folder that can be written");
  absl::StatusOr<FolderLock> lock = FolderLock::take(folder);
  if (!lock.ok()) return lock;
  std::error_code error;
  for (const fs::path& path : {trials_path(folder), latency_path(folder), meta_path(folder)}) {
    if (fs::exists(path, error)) return holds_a_run(path);
  }
  return lock;
}

absl::StatusOr<Meta> read_meta(const fs::path& folder) {
  const fs::path path = meta_path(folder);
  const absl::StatusOr<std::string> text = read_file(path, kMostRunFileBytes);
  if (!text.ok()) return advised(text.status(), "name the folder of a run that was interrupted");
  return parse_meta(*text, path.string());
}

// A file of a run as a killed process left it.
struct FoundFile {
  std::string text;
  bool missing = false;
};

absl::StatusOr<FoundFile> find_file(const fs::path& path) {
  absl::StatusOr<std::string> text = read_file(path, kMostRunFileBytes);
  if (absl::IsNotFound(text.status())) return FoundFile{.text = {}, .missing = true};
  if (!text.ok()) return text.status();
  return FoundFile{.text = *std::move(text)};
}

// The parts of a run's files to keep.
struct Recovery {
  FoundFile trials_found;
  FoundFile latency_found;
  RecoveredTrials trials;
  RecoveredLatency latency;
};

absl::Status is_missing(const fs::path& path) {
  return absl::NotFoundError(
      absl::StrFormat("%s: no such file; put it back, or start a new run", path.string()));
}

// Reads and checks all files, and changes nothing.
absl::StatusOr<Recovery> recover(const fs::path& folder, const Meta& meta) {
  const fs::path trials = trials_path(folder);
  const fs::path latency = latency_path(folder);
  absl::StatusOr<FoundFile> trials_found = find_file(trials);
  if (!trials_found.ok()) return trials_found.status();
  absl::StatusOr<FoundFile> latency_found = find_file(latency);
  if (!latency_found.ok()) return latency_found.status();

  absl::StatusOr<RecoveredTrials> good_trials =
      recover_trials(trials_found->text, trials.string(), meta.run, meta.plan);
  if (!good_trials.ok()) return good_trials.status();
  absl::StatusOr<RecoveredLatency> good_latency =
      recover_latency(latency_found->text, latency.string(), meta.run, good_trials->attempts);
  if (!good_latency.ok()) return good_latency.status();
  // A file may be missing only if the process was killed before it had a row to write.
  const bool had_rows = meta.end.trials_done > 0 || good_latency->removed_rows > 0;
  if (trials_found->missing && had_rows) return is_missing(trials);
  if (latency_found->missing && !good_trials->attempts.empty()) return is_missing(latency);
  return Recovery{.trials_found = *std::move(trials_found),
                  .latency_found = *std::move(latency_found),
                  .trials = *std::move(good_trials),
                  .latency = *std::move(good_latency)};
}

// The file that keeps the bytes that are removed from `path`.
fs::path removed_path(const fs::path& path) {
  return path.string() + ".removed";
}

absl::StatusOr<AppendFile> open_or_create(const fs::path& path) {
  absl::StatusOr<AppendFile> file = AppendFile::open(path);
  return absl::IsNotFound(file.status()) ? AppendFile::create(path) : std::move(file);
}

absl::Status keep_removed(const fs::path& path, std::string removed) {
  if (removed.empty()) return absl::OkStatus();
  if (!removed.ends_with('\n')) removed += '\n';
  absl::StatusOr<AppendFile> file = open_or_create(removed_path(path));
  if (!file.ok()) return file.status();
  absl::Status status = file->append(removed);
  status.Update(file->sync());
  return status;
}

// Keeps the whole rows and the header.
absl::Status repair_trials(AppendFile& trials, const RecoveredTrials& recovered,
                           std::vector<std::string>& repairs) {
  if (!recovered.torn.empty()) {
    absl::Status status = keep_removed(trials.path(), recovered.torn);
    if (status.ok()) status = trials.cut_to(recovered.whole_bytes);
    if (!status.ok()) return status;
    repairs.push_back(absl::StrFormat("%s: its last line had no end; moved its %d bytes to %s",
                                      trials.path().string(), recovered.torn.size(),
                                      removed_path(trials.path()).string()));
  }
  return recovered.header_missing ? trials.append(csv_record(trial_header())) : absl::OkStatus();
}

// Keeps the header and the rows of attempts that have a row in trials.csv.
absl::Status repair_latency(const fs::path& path, const std::string& found,
                            const RecoveredLatency& recovered, std::vector<std::string>& repairs) {
  if (recovered.text == found) return absl::OkStatus();
  absl::Status status = keep_removed(path, recovered.removed);
  if (status.ok()) status = replace_file(path, recovered.text);
  if (!status.ok() || recovered.removed_rows == 0) return status;
  repairs.push_back(absl::StrFormat("%s: moved %d rows of trials that were cut short to %s",
                                    path.string(), recovered.removed_rows,
                                    removed_path(path).string()));
  return absl::OkStatus();
}

// The run may have been killed between its first two files.
absl::Status write_missing_schema(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error) ? absl::OkStatus() : replace_file(path, schema_json());
}

}  // namespace

absl::StatusOr<RunWriter> RunWriter::create(const fs::path& folder, const Meta& meta) {
  absl::StatusOr<FolderLock> lock = make_folder(folder);
  if (!lock.ok()) return lock.status();
  absl::StatusOr<RunWriter> writer = begin(folder, *std::move(lock), meta);
  if (!writer.ok()) {
    std::error_code ignored;  // the first error is the one to report
    fs::remove(schema_path(folder), ignored);
    fs::remove(trials_path(folder), ignored);
    fs::remove(latency_path(folder), ignored);
    fs::remove(meta_path(folder), ignored);
    return advised(writer.status(), "name a folder that can be written");
  }
  return writer;
}

absl::StatusOr<RunWriter> RunWriter::begin(const fs::path& folder, FolderLock lock,
                                           const Meta& meta) {
  // meta.json is written first, so that a run that is killed later can be resumed.
  absl::Status status = replace_file(meta_path(folder), meta_text(meta));
  status.Update(replace_file(schema_path(folder), schema_json()));
  if (!status.ok()) return status;
  absl::StatusOr<AppendFile> latency = AppendFile::create(latency_path(folder));
  if (!latency.ok()) return latency.status();
  status = latency->append(csv_record(latency_header()));
  if (!status.ok()) return status;
  absl::StatusOr<AppendFile> trials = AppendFile::create(trials_path(folder));
  if (!trials.ok()) return trials.status();
  status = trials->append(csv_record(trial_header()));
  if (status.ok()) status = sync_folder(folder);
  if (!status.ok()) return status;
  return RunWriter(folder, std::move(lock), meta, *std::move(trials), *std::move(latency));
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

absl::Status RunWriter::sync() {
  absl::Status status = latency_.sync();
  status.Update(trials_.sync());
  synced_ = Clock::now();
  return status;
}

absl::Status RunWriter::sync_if_due() {
  return Clock::now() - synced_ < kSyncEvery ? absl::OkStatus() : sync();
}

absl::Status RunWriter::finish(RunEnd::State state, double session_s) {
  const absl::Status synced = sync();
  meta_.end.state = synced.ok() ? state : RunEnd::State::kInterrupted;
  meta_.end.wall_s += session_s;
  absl::Status status = replace_file(meta_path(folder_), meta_text(meta_));
  // The first error is the one to report.
  return synced.ok() ? status : synced;
}

absl::StatusOr<ResumedRun> open_for_resume(const fs::path& folder) {
  absl::StatusOr<Meta> meta = read_meta(folder);
  if (!meta.ok()) return meta.status();
  absl::StatusOr<FolderLock> lock = FolderLock::take(folder);
  if (!lock.ok()) return lock.status();
  absl::StatusOr<Recovery> recovery = recover(folder, *meta);
  if (!recovery.ok()) return recovery.status();

  std::vector<std::string> repairs;
  absl::StatusOr<AppendFile> trials = open_or_create(trials_path(folder));
  if (!trials.ok()) return trials.status();
  absl::Status status = repair_trials(*trials, recovery->trials, repairs);
  if (!status.ok()) return status;
  status = repair_latency(latency_path(folder), recovery->latency_found.text, recovery->latency,
                          repairs);
  if (!status.ok()) return status;
  absl::StatusOr<AppendFile> latency = AppendFile::open(latency_path(folder));
  if (!latency.ok()) return latency.status();
  status = write_missing_schema(schema_path(folder));
  if (!status.ok()) return status;

  meta->end.state = RunEnd::State::kRunning;
  meta->end.trials_done = static_cast<std::uint32_t>(recovery->trials.done.size());
  status = replace_file(meta_path(folder), meta_text(*meta));
  if (!status.ok()) return status;
  return ResumedRun{.writer = RunWriter(folder, *std::move(lock), *std::move(meta),
                                        *std::move(trials), *std::move(latency)),
                    .done = std::move(recovery->trials.done),
                    .repairs = std::move(repairs)};
}

}  // namespace lockbench
