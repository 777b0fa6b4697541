// SPDX-License-Identifier: Apache-2.0

// Reads a command line: which command it names, and its flags.
//
// The functions are pure except for --version, which reads the version of the build. The command
// checks whether a preset, a primitive or a folder exists.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "harness/cli/command.h"

namespace lockbench {

// The command, whose flags were stored in it.
struct Chosen {
  Command* command = nullptr;
  Invocation invocation;
};

// The program only prints something and ends: the help, the version, or in one line what is wrong.
struct Reply {
  int exit_code = 0;
  std::string out;  // for standard output
  std::string err;  // for standard error
};

// `words`: all of them, the program's name first. The commands must be new ones.
std::variant<Chosen, Reply> read_command_line(const Commands& commands,
                                              const std::vector<std::string>& words);

}  // namespace lockbench
