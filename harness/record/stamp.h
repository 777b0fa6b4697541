// SPDX-License-Identifier: Apache-2.0

// Stamps: when something was, and which run it belongs to.
#pragma once

#include <string>
#include <string_view>

namespace lockbench {

// UTC, ISO 8601, to the second: 2025-01-31T23:59:59Z
std::string utc_now();

// Unique among runs that a reader may lay side by side: the time, the preset and some chance. Fit
// for a folder's name, whatever the preset is called.
std::string new_run_id(std::string_view preset);

}  // namespace lockbench
