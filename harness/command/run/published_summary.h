// SPDX-License-Identifier: Apache-2.0

// Published summary: what is said of a finished run beside what was published, where the preset
// that it followed has a seed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <absl/status/statusor.h>

#include "harness/command/run/section.h"

namespace lockbench {

// A table of workloads/presets/published/<preset>.toml and of the run's trials.csv; absent where
// the preset has none, or the run measured nothing of it.
absl::StatusOr<std::optional<Section>> published_summary(const std::string& preset,
                                                         const std::filesystem::path& run_folder);

}  // namespace lockbench
