// SPDX-License-Identifier: Apache-2.0

// Graphviz's `dot`, which lays nets out.
#pragma once

#include <string>

#include <absl/status/statusor.h>

namespace lockbench {

// What `dot -Tplain` answers to `graph`. Unavailable when there is no dot on the PATH; Internal
// when it fails or takes longer than a minute; Cancelled when a signal was noted.
absl::StatusOr<std::string> laid_out_by_dot(const std::string& graph);

}  // namespace lockbench
