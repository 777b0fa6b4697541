// SPDX-License-Identifier: Apache-2.0

// `lockbench preset init`: writes a preset with every key and its meaning, for the user to edit.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace lockbench {

struct PresetOptions {
  std::vector<std::string> words;  // init, and a file; without a file, standard output
};

// Returns the exit code: 0 if the preset was written, 1 if it could not be written, 2 if the file
// exists.
int preset_command(const PresetOptions& options, std::ostream& out, std::ostream& err);

}  // namespace lockbench
