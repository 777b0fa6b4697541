// SPDX-License-Identifier: Apache-2.0

// PresetTemplate: a preset that runs as it is, with every key and its meaning, for users to edit.
#pragma once

#include <string>

namespace lockbench {

// `run_name` is how `lockbench run` names the file, for the comment at its beginning. Pure.
std::string preset_template(const std::string& run_name);

}  // namespace lockbench
