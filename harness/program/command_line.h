// SPDX-License-Identifier: Apache-2.0

// Reads a command line: which command it names, and its flags.
//
// The help lists the commands of other programs, too, and so does the message for a command that
// nobody has: then these are asked (harness/process/command_programs.h). Commands whose flags
// depend on other programs ask them when they are chosen. The command checks whether a preset, a
// primitive or a folder exists.
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

// `help run` is `run --help`.
std::vector<std::string> words_without_help(const std::vector<std::string>& words);

// `words`: all of them, the program's name first, as words_without_help() returns them. The
// commands must be new ones.
std::variant<Chosen, Reply> read_command_line(const Commands& commands,
                                              const std::vector<std::string>& words);

}  // namespace lockbench
