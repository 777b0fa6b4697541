// SPDX-License-Identifier: Apache-2.0

// Resume: opens a run to continue it, or reads it if nothing is left to measure. If neither is
// possible, it changes nothing and says why.
#pragma once

#include <filesystem>
#include <variant>

#include <absl/status/statusor.h>

#include "harness/command/run/session.h"
#include "harness/record/run_writer.h"

namespace lockbench {

enum class RowKind { kMeasured, kPredicted };

// A finished run is only read, whatever machine and build measured it. If a user has removed one of
// its rows, it is not finished. Any other run is opened as by open_for_resume(). FailedPrecondition
// if the folder holds a shard, if the rows are of another kind, or if an unfinished run was begun
// with another build or on another machine. Nothing is written to a run that is refused for these
// reasons.
absl::StatusOr<std::variant<ResumedRun, FinishedSession>> resume_run(
    const std::filesystem::path& folder, RowKind kind = RowKind::kMeasured);

}  // namespace lockbench
