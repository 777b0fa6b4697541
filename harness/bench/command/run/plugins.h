// SPDX-License-Identifier: Apache-2.0

// Plugins: adds the plug-ins that the user named, or that are on the path, to the catalog.
//
// This process never loads a plug-in. A child process loads it and returns its description, so a
// plug-in that crashes or hangs affects only its own rows.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "harness/bench/plan/cell.h"
#include "harness/bench/record/build.h"

namespace lockbench {

// The files of LOCKBENCH_PLUGIN_PATH: names separated by colons. Each is the file of a plug-in, or
// a folder, which means all *.so files in it except those for the engines of stress, in
// alphabetical order.
std::vector<std::string> plugins_on_path();

// Adds the locks of the `named` plug-ins to the catalog, then those of the plug-ins on the path
// that are not among them. If a named plug-in is invalid, the call fails with one line. If one on
// the path is invalid, that line goes to `err`, and the others are added. If the command
// `measures`, the cost of the calls of the C interface goes to `err`, too, and in what a plug-in
// was compiled otherwise than lockbench.
absl::Status add_plugins(const std::vector<std::string>& named, bool measures, std::ostream& err);

// The same for a command that was given these plug-ins by --plugin: an exit code, after an error on
// standard error; absent: they were added.
std::optional<int> add_plugins_of_command(std::string_view command,
                                          const std::vector<std::string>& named, bool measures);

// ---- for a program that loads plug-ins in a way of its own

// The program that loads a plug-in and prints its description, its words, and how its messages
// begin.
struct PluginLoader {
  std::filesystem::path program;
  std::vector<std::string> words;
  std::string prefix;
};
// Adds the locks that this program describes.
absl::Status add_plugin_by(const std::string& file, const PluginLoader& loader);
// "plug-in FILE: WHY".
absl::Status plugin_error(const std::string& file, const std::string& why);
// Prints an error about --plugin and returns the exit code; absent if there is none.
std::optional<int> complain_of_plugin(std::string_view command, const absl::Status& added);

// One line for each plug-in that the plan measures through the C interface, with the cost of its
// calls.
std::vector<std::string> call_cost_texts(const Plan& plan);

// One line for each plug-in that the plan measures and that was compiled otherwise than lockbench.
std::vector<std::string> build_difference_texts(const Plan& plan);

// Which plug-ins the plan measures, and how they were compiled; absent if it measures none.
std::optional<std::vector<PluginRecord>> plugin_records(const Plan& plan);

// The code in the child process: loads a plug-in and prints its description. Returns 0, or 2 after
// a line on `err`.
int plugin_command(const std::string& file, std::ostream& out, std::ostream& err);

// Loads plug-ins into this process, which runs a trial, and adds their locks to the catalog.
absl::Status load_plugins(const std::vector<std::string>& files);

}  // namespace lockbench
