// SPDX-License-Identifier: Apache-2.0

// Resources: finds what belongs to this program, wherever it was built or installed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

namespace lockbench {

// The path of this program.
std::filesystem::path this_program();

// The path of `lockbench`: of this program, unless it is one of the folder of commands
// (command_programs.h), whose `lockbench` lies in a folder around it.
std::filesystem::path main_program();

// The folder of the programs that have commands of lockbench. It may not exist.
std::filesystem::path command_folder();

// Finds `relative` (workloads/presets, scripts/commands/plot.py) below <prefix>/share/lockbench of
// an installation, or below a folder that contains lockbench at any depth: the checkout that it was
// built in. NotFound if neither has it.
absl::StatusOr<std::filesystem::path> find_resource(const std::filesystem::path& relative);

// A program that only lockbench itself starts, by its name. It is in the folder of lockbench after
// a build, and in libexec after an installation. Absent if neither has it.
std::optional<std::filesystem::path> find_engine(const std::string& program);

// TOML files that come with lockbench, in workloads/<folder> and in harness/<capability>/<folder>.
// `kind` and `list` are for messages: what a file describes, and the command that lists them.
struct ResourceKind {
  std::string folder;  // presets
  std::string kind;    // preset
  std::string list;    // lockbench list presets
};

// Their names, in alphabetical order.
absl::StatusOr<std::vector<std::string>> resource_names(const ResourceKind& kind);

struct ResourceText {
  std::string file;
  std::string text;
};

// The text of the resource with that name, or of that file if the name ends in `.toml`.
absl::StatusOr<ResourceText> read_resource(const ResourceKind& kind,
                                           const std::string& name_or_file);

// A Python interpreter that has all of `modules`: $LOCKBENCH_PYTHON, or the first one that has them
// of those on the PATH and the system's own. NotFound says what to install.
absl::StatusOr<std::filesystem::path> find_python(const std::vector<std::string>& modules);

}  // namespace lockbench
