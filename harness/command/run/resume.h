// SPDX-License-Identifier: Apache-2.0

// Resume: opens a run to continue it. If that is not possible, it changes nothing and says why.
#pragma once

#include <filesystem>

#include <absl/status/statusor.h>

#include "harness/record/run_writer.h"

namespace lockbench {

enum class RowKind { kMeasured, kPredicted };

// As open_for_resume(). In addition, FailedPrecondition if the run is finished, if its rows are of
// another kind, if it was begun with another build, or if it was measured on another machine.
// Nothing is written to a run that is refused for these reasons.
absl::StatusOr<ResumedRun> resume_run(const std::filesystem::path& folder,
                                      RowKind kind = RowKind::kMeasured);

}  // namespace lockbench
