// SPDX-License-Identifier: Apache-2.0

// The folder of an observation, or of other runs of a program.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

namespace lockbench {

// `out`, or a new one below results/`kind` that is named after the program. AlreadyExists if it is
// there. It is created before the program runs: a folder that cannot be written would lose that.
absl::StatusOr<std::filesystem::path> new_program_folder(
    std::string_view kind, const std::optional<std::filesystem::path>& out,
    const std::string& program);

}  // namespace lockbench
