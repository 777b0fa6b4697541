// SPDX-License-Identifier: Apache-2.0

// Resume: opens a run to go on with, or leaves it untouched and says why not.
#pragma once

#include <filesystem>

#include <absl/status/statusor.h>

#include "harness/record/run_writer.h"

namespace lockbench {

// As open_for_resume(); besides, FailedPrecondition for a run that is finished, or was begun on
// another machine or with another build. A run that is refused for these is not written to.
absl::StatusOr<ResumedRun> resume_run(const std::filesystem::path& folder);

}  // namespace lockbench
