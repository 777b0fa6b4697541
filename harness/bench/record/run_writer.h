// SPDX-License-Identifier: Apache-2.0

// RunWriter: writes a run to disk, trial by trial, so that no finished trial is ever lost.
//
//   <folder>/meta.json     machine, build, plan and how far the run came; written first
//   <folder>/latency.csv   the distributions behind trials.csv
//   <folder>/trials.csv    one row per trial; of each trial, this is written last
//   <folder>/schema.json   what the columns of both mean, see schema.h
//
// Guarantees   After append() returns OK, the kernel has the trial, and killing the process removes
//              nothing. After it returns an error, the files contain all trials before it and
//              nothing of this one, so append() may be called again. There is one writer at a time.
//              Whenever the process is killed, open_for_resume() can open the files. After a crash
//              of the machine, everything is there that sync() or finish() returned OK for.
// Not offered  That each row is on the device when append() returns: waiting for it would disturb
//              the next trial. Call sync_if_due() when nothing is measured.
// Requires     SIGXFSZ is ignored (see files.h).
// Errors       name the file, what is wrong and what would be right, in one line.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "harness/base/files.h"
#include "harness/bench/record/meta.h"
#include "harness/bench/record/row.h"

namespace lockbench {

struct ResumedRun;

class RunWriter {
 public:
  // Creates the folder and its missing parents. AlreadyExists if the folder contains a run. After
  // any error it removes the files that it created.
  static absl::StatusOr<RunWriter> create(const std::filesystem::path& folder, const Meta& meta);

  absl::Status append(const Row& row);

  // Adds one more block of these cells to the plan. After an error the plan is as before.
  absl::Status extend(std::span<const Cell> cells);

  // Records the surroundings of the run in meta.json at once.
  absl::Status note(const Surroundings& surroundings);

  // Waits until all rows are on the device. After an error, nothing is lost unless the machine
  // crashes.
  absl::Status sync();

  // As sync(), but does nothing if the last sync was less than kSyncEvery ago.
  absl::Status sync_if_due();

  // Waits until all rows are on the device, and then records how the run ended. After an error, the
  // run is not recorded as finished. `session_s`: seconds since create() or open_for_resume().
  absl::Status finish(RunEnd::State state, double session_s);

  const Meta& meta() const { return meta_; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  friend absl::StatusOr<ResumedRun> open_for_resume(const std::filesystem::path& folder);

  using Clock = std::chrono::steady_clock;

  // A crash of the machine loses the rows of at most this time.
  static constexpr std::chrono::seconds kSyncEvery{5};

  RunWriter(std::filesystem::path folder, FolderLock lock, Meta meta, AppendFile trials,
            AppendFile latency)
      : folder_(std::move(folder)),
        lock_(std::move(lock)),
        meta_(std::move(meta)),
        trials_(std::move(trials)),
        latency_(std::move(latency)) {}

  static absl::StatusOr<RunWriter> begin(const std::filesystem::path& folder, FolderLock lock,
                                         const Meta& meta);

  std::filesystem::path folder_;
  FolderLock lock_;
  Meta meta_;
  AppendFile trials_;
  AppendFile latency_;
  Clock::time_point synced_ = Clock::now();
};

struct ResumedRun {
  RunWriter writer;                  // its meta() is the recorded one
  std::set<std::uint32_t> done;      // numbers of the trials that are not measured again
  std::vector<std::string> repairs;  // what had to be repaired, one line each, for users
};

// Repairs the files that a killed process left, and continues the run where it stopped. All files
// are checked before the first one is changed. Data that is removed from a file is kept beside it,
// in a file with `.removed` at the end of its name. NotFound if there is no run. FailedPrecondition
// for another schema version or header, or if another process is writing. InvalidArgument, with
// line and column, for files that are not from lockbench or that no killed process leaves.
absl::StatusOr<ResumedRun> open_for_resume(const std::filesystem::path& folder);

}  // namespace lockbench
