// SPDX-License-Identifier: Apache-2.0

// chosen_preset: the preset that a command line names, with its flags laid over it.
#pragma once

#include <optional>
#include <string>

#include <absl/status/statusor.h>

#include "harness/plan/preset.h"

namespace lockbench {

// `name`: of a preset, or a file that ends in `.toml`; absent: a preset of the flags alone, with
// the usual values of their workload. An error names the flag or the place in the file.
absl::StatusOr<Preset> chosen_preset(const std::optional<std::string>& name,
                                     const Overrides& overrides);

}  // namespace lockbench
