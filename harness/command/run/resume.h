// SPDX-License-Identifier: Apache-2.0

// Resume: opens a run to continue it. If that is not possible, it changes nothing and says why.
#pragma once

#include <filesystem>

#include <absl/status/statusor.h>

#include "harness/record/run_writer.h"

namespace lockbench {

// As open_for_resume(). In addition, FailedPrecondition if the run is finished, or if it was begun
// on another machine or with another build. Nothing is written to a run that is refused for these
// reasons.
absl::StatusOr<ResumedRun> resume_run(const std::filesystem::path& folder);

}  // namespace lockbench
