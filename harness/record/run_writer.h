// SPDX-License-Identifier: Apache-2.0

// RunWriter: puts a run on disk, trial by trial, so that nothing finished is ever lost.
//
//   <folder>/trials.csv    one row a trial, the last thing written of it
//   <folder>/latency.csv   the distributions behind it
//   <folder>/schema.json   what the columns of both mean, see schema.h
//   <folder>/meta.json     machine, build, plan and how far the run came
//
// Guarantees   after append() returns OK the kernel has the trial, and a killed process takes
//              nothing back; after it returns an error the files hold all trials before it and
//              nothing of this one, so that append() may be tried again; one writer at a time.
// Not offered  durability against a crash of the machine before finish(): waiting for the device
//              after each trial would disturb the next one.
// Requires     SIGXFSZ ignored (see files.h).
// Errors       name the file, what was wrong and what would be right, in one line.
#pragma once

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

  // Notes how the run ended and waits until the device has it all. `session_s`: since create() or
  // open_for_resume().
  absl::Status finish(RunEnd::State state, double session_s);

  const Meta& meta() const { return meta_; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  friend absl::StatusOr<ResumedRun> open_for_resume(const std::filesystem::path& folder);

  RunWriter(std::filesystem::path folder, Meta meta, AppendFile trials, AppendFile latency)
      : folder_(std::move(folder)),
        meta_(std::move(meta)),
        trials_(std::move(trials)),
        latency_(std::move(latency)) {}

  static absl::StatusOr<RunWriter> begin(const std::filesystem::path& folder, const Meta& meta,
                                         AppendFile trials);

  std::filesystem::path folder_;
  Meta meta_;
  AppendFile trials_;
  AppendFile latency_;
};

struct ResumedRun {
  RunWriter writer;                  // its meta() is the one recorded
  std::set<std::uint32_t> done;      // numbers of the trials that need not be measured again
  std::vector<std::string> repairs;  // what had to be mended, a line each, for people
};

// Mends what a killed process left and goes on where the run stopped. NotFound where there is no
// run; FailedPrecondition for another schema version or header, or while another process writes;
// InvalidArgument for files that are not ours.
absl::StatusOr<ResumedRun> open_for_resume(const std::filesystem::path& folder);

}  // namespace lockbench
