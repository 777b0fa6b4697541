// SPDX-License-Identifier: Apache-2.0

// BaselineLink: a run that got a name, for later runs to be compared with.
//
// results/baselines/NAME is a link to the run's folder, relative so that `results` can be moved.
// `compare --baseline-run` and `gate --against` follow it: scripts/analysis/saved.py.
#pragma once

#include <filesystem>
#include <string>

#include <absl/status/status.h>

namespace lockbench {

// InvalidArgument if the name cannot be that of a file in results/baselines.
absl::Status check_baseline_name(const std::string& name);

// Requires check_baseline_name(name). Replaces what had the name, at one stroke.
absl::Status save_baseline(const std::string& name, const std::filesystem::path& run);

}  // namespace lockbench
