// SPDX-License-Identifier: Apache-2.0

#include "harness/process/environment.h"

#include <string_view>

extern char** environ;

namespace lockbench {

std::vector<std::string> environment_with(const std::vector<std::string>& more) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('='));
    bool replaced = false;
    for (const std::string& own : more) replaced |= own.substr(0, own.find('=')) == name;
    if (!replaced) variables.emplace_back(text);
  }
  variables.insert(variables.end(), more.begin(), more.end());
  return variables;
}

}  // namespace lockbench
