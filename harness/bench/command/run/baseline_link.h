// SPDX-License-Identifier: Apache-2.0

// BaselineLink: gives a run a name, so that later runs can be compared with it.
//
// results/baselines/NAME is a link to the run's folder, relative so that `results` can be moved.
// `compare --baseline-run` and `gate --against` follow it: scripts/commands/analysis/saved.py.
#pragma once

#include <filesystem>
#include <string>

#include <absl/status/status.h>

namespace lockbench {

// InvalidArgument if the name is not a valid file name in results/baselines.
absl::Status check_baseline_name(const std::string& name);

// Requires check_baseline_name(name). Replaces an existing link of that name in one step.
absl::Status save_baseline(const std::string& name, const std::filesystem::path& run);

}  // namespace lockbench
