// SPDX-License-Identifier: Apache-2.0

// Folders: the runs that the words after `merge OUT` name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/record/meta.h"

namespace lockbench {

struct FoundRun {
  std::filesystem::path folder;
  Meta meta;  // without the trials of its plan
  std::string plan_hash;
};

// Of each folder: the run in it and those of further machines (<folder>/machine-2, …), or, if it
// holds none, the runs in the folders in it. A folder that is named twice is read once. `skipped`
// gets a line for each folder that holds no whole meta.json, as a copy that was cut off leaves it;
// without it, that is an error.
absl::StatusOr<std::vector<FoundRun>> find_runs(const std::vector<std::string>& folders,
                                                std::vector<std::string>* skipped);

// The whole plan of a run. InvalidArgument if its hash is not the one that meta.json says.
absl::StatusOr<Plan> plan_of(const FoundRun& run);

// InvalidArgument names the first field in which one of them differs from the first: schema, plan
// or build.
absl::Status check_alike(const std::vector<FoundRun>& runs);

}  // namespace lockbench
