// SPDX-License-Identifier: Apache-2.0

// Flags about a person's own program, which its commands share.
#pragma once

#include <cstddef>
#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace lockbench {

// How a message begins that asks for the program after `--`.
inline constexpr char kNoProgram[] = "name the program after --, as `";

void add_place_expression(CLI::App& command, const char* help, std::string& expression);

// The width of a table on standard error: the terminal's, or enough for whole names in a file.
std::size_t table_width();

}  // namespace lockbench
