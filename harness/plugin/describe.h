// SPDX-License-Identifier: Apache-2.0

// Description: what a plug-in contains. The child process that loaded the plug-in sends it to the
// program, which only plans with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/bench/catalog/entry.h"

namespace lockbench {

// How the plug-in was compiled: public/lockbench/build_stamp.h.
struct PluginStamp {
  std::uint32_t optimised = 0;
  bool assertions = false;
  std::uint32_t sanitizers = 0;
  std::string compiler;
  std::string flags;

  bool operator==(const PluginStamp&) const = default;
};

struct PluginDescription {
  std::vector<CatalogEntry> entries;  // cannot be made: their types are in the child
  std::vector<std::string> stressed;  // names of the locks that `lockbench stress` tests
  std::optional<PluginStamp> stamp;   // absent if the plug-in has none
  std::optional<double> call_ns;      // time of a lock() and an unlock() through the C interface
};

std::string to_json(const PluginDescription& description);

// InvalidArgument if the text was not written by to_json().
absl::StatusOr<PluginDescription> description_from_json(std::string_view text);

}  // namespace lockbench
