// SPDX-License-Identifier: Apache-2.0

// PresetTemplate: a preset that runs as it is, with every key and its meaning, for users to edit.
#pragma once

#include <string>

namespace lockbench {

// Pure. Its first comment calls the file FILE.toml.
std::string preset_template();

}  // namespace lockbench
