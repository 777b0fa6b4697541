// SPDX-License-Identifier: Apache-2.0

// Stamps: the current time, and the id of a run.
#pragma once

#include <string>
#include <string_view>

namespace lockbench {

// UTC, ISO 8601, to the second: 2025-01-31T23:59:59Z
std::string utc_now();

// An id that is unique among runs that a reader may compare: the time, the preset and a random
// part. It is valid as a folder's name for every name of a preset.
std::string new_run_id(std::string_view preset);

}  // namespace lockbench
