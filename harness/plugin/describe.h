// SPDX-License-Identifier: Apache-2.0

// Description: what a plug-in contains. The child process that loaded the plug-in sends it to the
// program, which only plans with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/catalog/entry.h"

namespace lockbench {

struct PluginDescription {
  std::vector<CatalogEntry> entries;  // cannot be made: their types are in the child
  std::optional<double> call_ns;      // time of a lock() and an unlock() through the C interface
};

std::string to_json(const PluginDescription& description);

// InvalidArgument if the text was not written by to_json().
absl::StatusOr<PluginDescription> description_from_json(std::string_view text);

}  // namespace lockbench
