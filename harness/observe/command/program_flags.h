// SPDX-License-Identifier: Apache-2.0

// Flags about a person's own program, which `observe` and `substitute` share.
#pragma once

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace lockbench {

// How a message begins that asks for the program after `--`.
inline constexpr char kNoProgram[] = "name the program after --, as `";

void add_place_expression(CLI::App& command, const char* help, std::string& expression);

}  // namespace lockbench
