// SPDX-License-Identifier: Apache-2.0

// Description: what a plug-in brings, as told by the child that loaded it to the program that only
// plans with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/catalog/entry.h"

namespace lockbench {

struct PluginDescription {
  std::vector<CatalogEntry> entries;  // whose pairings cannot be made: they are the child's
  std::optional<double> call_ns;      // through the C interface, a lock() and an unlock()
};

std::string to_json(const PluginDescription& description);

// InvalidArgument when the text is not what to_json() makes.
absl::StatusOr<PluginDescription> description_from_json(std::string_view text);

}  // namespace lockbench
