// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/command/added_engine.h"

#include <algorithm>

#include "harness/process/command_programs.h"

namespace lockbench {

bool AddedEngine::knows(const std::string& option) const {
  return std::any_of(flags.begin(), flags.end(),
                     [&](const nlohmann::json& flag) { return flag.value("name", "") == option; });
}

std::vector<AddedEngine> engines_of_programs() {
  std::vector<AddedEngine> engines;
  for (const Addition& addition : additions_to("stress")) {
    const nlohmann::json& what = addition.what;
    engines.push_back({.name = what.value("name", ""),
                       .program = what.value("program", ""),
                       .tests = what.value("tests", ""),
                       .about = what.value("about", ""),
                       .examples = what.value("examples", ""),
                       .without_plugin = what.value("without_plugin", ""),
                       .flags = what.value("flags", nlohmann::json::array())});
  }
  return engines;
}

}  // namespace lockbench
