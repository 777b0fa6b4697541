// SPDX-License-Identifier: Apache-2.0

// Listing: the locks that the engines list, and which of them a user's name means. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "harness/stress/report.h"

namespace lockbench {

// A lock in the list of an engine.
struct Listed {
  std::string name;
  std::string summary;
  std::vector<std::string>
      expected_oracles;  // if the lock is known to be broken: one of these oracles must report it
  std::string unseen;    // if the lock is broken and this engine cannot detect it: why
  bool takes_numbers = false;  // users may set its parameters: `mine:lease_ms=300`
};

// An engine: the name that users type, and its program.
struct EngineListing {
  std::string engine;
  std::string program;
  std::vector<Listed> locks;
  std::string plugin = {};  // the plug-in that contains these locks; empty: the engine
};

// Parses the output of an engine program for `list`. Lines with fewer than five fields are ignored.
std::vector<Listed> listed_from(std::string_view text);

// `shipped`, and those locks of `broken` that are in `names` but not in `shipped`.
std::vector<EngineListing> with_named(std::vector<EngineListing> shipped,
                                      const std::vector<EngineListing>& broken,
                                      const std::vector<std::string>& names);

// True if the name means a lock of one of these engines; if each of the names does, once completed.
bool knows(const std::vector<EngineListing>& engines, const std::string& name);
bool knows_all(const std::vector<EngineListing>& engines, std::vector<std::string> names);

// The name of a base lock means the primitive that uses it as one lock for all keys; a name without
// its choices means the first lock of that name. Its forms are meant, too, unless the order is for
// one of them alone.
void complete_names(const std::vector<EngineListing>& engines, const stress::Order& order,
                    std::vector<std::string>& names);

// True if `name` is the lock, or the lock with values for its parameters.
bool means(const std::string& name, const Listed& lock);

// True if `name` is `lock` with other parameters, or another lock that is made of its base lock:
// `keyed:barriers=none` of `keyed`, `striped:lock=mine` of `global:lock=mine`.
bool is_another_of(const std::string& name, const std::string& lock);

// Why there is no lock of this name, and which one the user may mean. An InvalidArgument status.
absl::Status unknown_lock(const std::string& name, const std::vector<std::string>& known);

}  // namespace lockbench
