// SPDX-License-Identifier: Apache-2.0

// Resources: finds this program's presets and scripts, wherever it was built or installed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/bench/plan/preset.h"

namespace lockbench {

// The path of this program.
std::filesystem::path this_program();

// Finds `relative` (workloads/presets, scripts/commands/plot.py) below <prefix>/share/lockbench of
// an installation, or below a folder that contains this program at any depth: the checkout that it
// was built in. NotFound if neither has it.
absl::StatusOr<std::filesystem::path> find_resource(const std::filesystem::path& relative);

// The path of this program.
std::filesystem::path this_program();

// A program that only lockbench itself starts, by its name. It is in the folder of this program
// after a build, and in libexec after an installation. Absent if neither has it.
std::optional<std::filesystem::path> find_engine(const std::string& program);

// Names of the presets that are shipped with the program, in alphabetical order.
absl::StatusOr<std::vector<std::string>> preset_names();

// Names of the machines whose models are shipped with the program, in alphabetical order.
absl::StatusOr<std::vector<std::string>> machine_names();

struct ResourceText {
  std::string file;
  std::string text;
};

// The machine model with that name, or that file if the name ends in `.toml`.
absl::StatusOr<ResourceText> read_machine(const std::string& name_or_file);

// The text of the preset with that name, or of that file if the name ends in `.toml`.
absl::StatusOr<ResourceText> read_preset(const std::string& name_or_file);

// The preset with that name, or the preset in that file if the name ends in `.toml`.
absl::StatusOr<Preset> load_preset(const std::string& name_or_file);

// A Python interpreter that has all of `modules`: $LOCKBENCH_PYTHON, or the first one that has them
// of those on the PATH and the system's own. NotFound says what to install.
absl::StatusOr<std::filesystem::path> find_python(const std::vector<std::string>& modules);

}  // namespace lockbench
