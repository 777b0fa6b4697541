// SPDX-License-Identifier: Apache-2.0

// Plugins: the plug-ins that a command was given, or found, before the catalog.
//
// This process never loads one: a child does, and says what there is. So a plug-in that crashes or
// hangs costs its own rows and nothing else.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "harness/plan/cell.h"

namespace lockbench {

// The files of LOCKBENCH_PLUGIN_PATH: names separated by colons, each a plug-in's file, or a folder
// that stands for all *.so in it, but those for the engines of stress, in alphabetical order.
std::vector<std::string> plugins_on_path();

// Adds to the catalog what `named` plug-ins bring, then those on the path that are not among them.
// A named one that is wrong is an error, in one line; of one on the path, that line goes to `err`,
// and the others are there. Where a plug-in is called through the C interface, what that costs is
// told on `err`, when something `measures`.
absl::Status add_plugins(const std::vector<std::string>& named, bool measures, std::ostream& err);

// Of the plug-ins that the plan measures through the C interface, what the calls cost: a line each.
std::vector<std::string> told_calls(const Plan& plan);

// The child's side: loads a plug-in and prints its description. Returns 0, or 2 after a line on
// `err`.
int plugin_command(const std::string& file, std::ostream& out, std::ostream& err);

// Loads plug-ins into this process, a trial's, and adds what they bring to the catalog.
absl::Status load_plugins(const std::vector<std::string>& files);

}  // namespace lockbench
