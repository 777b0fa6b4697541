// SPDX-License-Identifier: Apache-2.0

// LockPromises: another name of Promises (primitives/promises.h), which plug-ins use; and the
// programs among them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "primitives/promises.h"

namespace lockbench {

using LockPromises = Promises;

namespace stress {

// The litmus programs that `promises` lists, one in each element.
inline std::vector<std::string> programs_in(const LockPromises& promises) {
  std::vector<std::string> programs;
  for (std::string_view rest = promises.programs; !rest.empty();) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    std::string_view program = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    program.remove_prefix(std::min(program.find_first_not_of(" \n"), program.size()));
    if (!program.empty()) programs.emplace_back(program);
  }
  return programs;
}

}  // namespace stress
}  // namespace lockbench
