// SPDX-License-Identifier: Apache-2.0

// RunWriter: puts a run on disk, trial by trial, so that nothing finished is ever lost.
//
//   <folder>/meta.json     machine, build, plan and how far the run came; written first
//   <folder>/latency.csv   the distributions behind trials.csv
//   <folder>/trials.csv    one row a trial, the last thing written of it
//   <folder>/schema.json   what the columns of both mean, see schema.h
//
// Guarantees   after append() returns OK the kernel has the trial, and a killed process takes
//              nothing back; after it returns an error the files hold all trials before it and
//              nothing of this one, so that append() may be tried again; one writer at a time;
//              whenever the process is killed, open_for_resume() can open what it left. After a
//              crash of the machine, what sync() or finish() returned OK for is there.
// Not offered  that each row is on the device when append() returns: waiting for it would disturb
//              the next trial. Call sync_if_due() where nothing is measured.
// Requires     SIGXFSZ ignored (see files.h).
// Errors       name the file, what was wrong and what would be right, in one line.
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

#include "harness/record/files.h"
#include "harness/record/meta.h"
#include "harness/record/row.h"

namespace lockbench {

struct ResumedRun;

class RunWriter {
 public:
  // Makes the folder and those above it. AlreadyExists if it holds a run; what it could not begin
  // properly it takes away again.
  static absl::StatusOr<RunWriter> create(const std::filesystem::path& folder, const Meta& meta);

  absl::Status append(const Row& row);

  // Adds one more block of these cells to the plan. After an error the plan is as before.
  absl::Status extend(std::span<const Cell> cells);

  // Records what the machine does beside the run, at once.
  absl::Status note(const Surroundings& surroundings);

  // Waits until the device has all rows. After an error nothing is lost as long as the machine
  // runs.
  absl::Status sync();

  // As sync(), but does nothing if that was last done less than kSyncEvery ago.
  absl::Status sync_if_due();

  // Waits until the device has all rows, and then records how the run ended; after an error the
  // run is not recorded as finished. `session_s`: since create() or open_for_resume().
  absl::Status finish(RunEnd::State state, double session_s);

  const Meta& meta() const { return meta_; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  friend absl::StatusOr<ResumedRun> open_for_resume(const std::filesystem::path& folder);

  using Clock = std::chrono::steady_clock;

  // Rows of at most this long are lost when the machine crashes.
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
  RunWriter writer;                  // its meta() is the one recorded
  std::set<std::uint32_t> done;      // numbers of the trials that need not be measured again
  std::vector<std::string> repairs;  // what had to be repaired, a line each, for people
};

// Repairs what a killed process left and goes on where the run stopped. All files are checked
// before the first one is changed; what is removed from one is kept beside it, in a file with
// `.removed` at the end of its name. NotFound where there is no run; FailedPrecondition for another
// schema version or header, or while another process writes; InvalidArgument for files that are not
// ours or that no killed process leaves, with line and column.
absl::StatusOr<ResumedRun> open_for_resume(const std::filesystem::path& folder);

}  // namespace lockbench
