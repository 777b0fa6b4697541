// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/program_flags.h"

#include <regex>

#include "harness/cli/flags.h"

namespace lockbench {

bool is_expression(const std::string& text) {
  try {
    const std::regex valid(text);
    return true;
  } catch (const std::regex_error&) {
    return false;
  }
}

void add_place_expression(CLI::App& command, const char* help, std::string& expression) {
  add_value(command, {.names = "--place", .type = "REGEX", .help = help},
            [&expression](const std::string& text) {
              expression = text;
              return is_expression(text)
                         ? absl::OkStatus()
                         : absl::InvalidArgumentError("'" + text + "' is no regular expression");
            });
}

}  // namespace lockbench
