// SPDX-License-Identifier: Apache-2.0

// Graphviz's `dot`, which lays nets out.
#pragma once

#include <string>

#include <absl/status/statusor.h>

namespace lockbench {

// What `dot -Tplain` answers to `graph`. Unavailable when there is no dot on the PATH; Internal
// when it fails.
absl::StatusOr<std::string> laid_out_by_dot(const std::string& graph);

}  // namespace lockbench
