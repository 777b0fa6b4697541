// SPDX-License-Identifier: Apache-2.0

// The folder of an observation.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <absl/status/statusor.h>

namespace lockbench {

// `out`, or a new one below results/observed that is named after the program. AlreadyExists if it
// is there. It is created before the observation: a folder that cannot be written would lose that.
absl::StatusOr<std::filesystem::path> new_observation_folder(
    const std::optional<std::filesystem::path>& out, const std::string& program);

}  // namespace lockbench
