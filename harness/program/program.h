// SPDX-License-Identifier: Apache-2.0

// The program: reads the command line and runs the command.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/command.h"

namespace lockbench {

// `words`: all words of the command line; the first one is the program's name. Returns the exit
// code.
int run_program(const Commands& commands, const std::vector<std::string>& words);

}  // namespace lockbench
