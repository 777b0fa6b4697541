// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/command/program_flags.h"

#include <unistd.h>

#include "harness/base/terminal.h"
#include "harness/cli/flags.h"
#include "harness/observe/observation/expression.h"

namespace lockbench {

void add_place_expression(CLI::App& command, const char* help, std::string& expression) {
  add_value(command, {.names = "--place", .type = "REGEX", .help = help},
            [&expression](const std::string& text) {
              expression = text;
              return Expression::parse(text).status();
            });
}

std::size_t table_width() {
  constexpr std::size_t kOfAFile = 200;
  return isatty(STDERR_FILENO) != 0 ? terminal_columns(STDERR_FILENO) : kOfAFile;
}

}  // namespace lockbench
