// SPDX-License-Identifier: Apache-2.0

// The presets that come with lockbench, and those in files of users.
#pragma once

#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/bench/plan/preset.h"
#include "harness/process/resources.h"

namespace lockbench {

// Names of the presets that come with lockbench, in alphabetical order.
absl::StatusOr<std::vector<std::string>> preset_names();

// The text of the preset with that name, or of that file if the name ends in `.toml`.
absl::StatusOr<ResourceText> read_preset(const std::string& name_or_file);

// The same preset, parsed.
absl::StatusOr<Preset> load_preset(const std::string& name_or_file);

}  // namespace lockbench
