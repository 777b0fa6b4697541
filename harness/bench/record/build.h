// SPDX-License-Identifier: Apache-2.0

// Build: the build of lockbench that measured a run.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace lockbench {

struct Build {
  std::string version;                           // of lockbench
  std::string compiler;                          // name and version
  std::string build_type;                        // as CMake names it
  std::string flags;                             // all flags of the compiler for this build type
  std::map<std::string, std::string> libraries;  // name to version, if it is known
  std::optional<std::string> commit;             // absent outside a checkout
  std::optional<bool> modified;                  // whether tracked files differed from the commit

  bool operator==(const Build&) const = default;
};

// Which plug-in a run measures, how it was compiled, and in what this differs from `Build`. All but
// the file and its hash is absent if the plug-in does not tell.
struct PluginRecord {
  std::string file;
  std::optional<std::string> file_hash;     // of its bytes; absent if it could not be read
  std::optional<std::string> optimisation;  // none, little, size or full
  std::optional<bool> assertions;
  std::optional<std::string> sanitizers;  // none, or names separated by commas
  std::optional<bool> lto;                // whether it was optimised when it was linked
  std::optional<std::string> compiler;
  std::optional<std::string> flags;
  std::optional<std::string> differs;  // `optimisation none (lockbench: full)`

  bool operator==(const PluginRecord&) const = default;
};

// The build of the running program.
Build this_build();

}  // namespace lockbench
