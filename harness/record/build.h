// SPDX-License-Identifier: Apache-2.0

// Build: what a run was measured with.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace lockbench {

struct Build {
  std::string version;     // of lockbench
  std::string compiler;    // name and version
  std::string build_type;  // as CMake names it
  std::string flags;       // all that the compiler was told for this build type
  std::map<std::string, std::string> libraries;  // name to version, where it is known
  std::optional<std::string> commit;             // absent outside a checkout
  std::optional<bool> modified;                  // whether tracked files differed from the commit

  bool operator==(const Build&) const = default;
};

// Of the program that asks.
Build this_build();

}  // namespace lockbench
