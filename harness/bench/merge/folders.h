// SPDX-License-Identifier: Apache-2.0

// Folders: finds the runs in the folders after `merge OUT`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/bench/record/meta.h"

namespace lockbench {

struct FoundRun {
  std::filesystem::path folder;
  Meta meta;  // without the trials of its plan
  std::string plan_hash;
};

// Finds the runs of each folder: the run in it and those of further machines (<folder>/machine-2,
// …), or, if it contains no run, the runs in its subfolders. A folder that is named twice is read
// once. `skipped` gets a line for each folder without a complete meta.json, for example after an
// interrupted copy. If `skipped` is null, that is an error.
absl::StatusOr<std::vector<FoundRun>> find_runs(const std::vector<std::string>& folders,
                                                std::vector<std::string>* skipped);

// The whole plan of a run. InvalidArgument if its hash differs from the one in meta.json.
absl::StatusOr<Plan> plan_of(const FoundRun& run);

// InvalidArgument names the first field in which a run differs from the first run: schema, plan,
// build or plug-ins.
absl::Status check_alike(const std::vector<FoundRun>& runs);

}  // namespace lockbench
