// SPDX-License-Identifier: Apache-2.0

// Resources: where this program's presets and scripts are, wherever it was built or installed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/plan/preset.h"

namespace lockbench {

// This program's own file.
std::filesystem::path this_program();

// `relative` (workloads/presets, scripts/plot.py) below <prefix>/share/lockbench of an
// installation, or below a folder that holds this program, at any depth: the checkout it was built
// in. NotFound when there is none.
absl::StatusOr<std::filesystem::path> find_resource(const std::filesystem::path& relative);

// Names of the presets that come with the program, in alphabetical order.
absl::StatusOr<std::vector<std::string>> preset_names();

// The preset of that name, or of that file when it ends in `.toml`.
absl::StatusOr<Preset> load_preset(const std::string& name_or_file);

// A Python interpreter that has all of `modules`: $LOCKBENCH_PYTHON, or the first that fits of
// those on the PATH and the system's own. NotFound says what to install.
absl::StatusOr<std::filesystem::path> find_python(const std::vector<std::string>& modules);

}  // namespace lockbench
