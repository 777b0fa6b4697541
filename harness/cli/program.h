// SPDX-License-Identifier: Apache-2.0

// Runs the whole command, from its words to its exit code.
#pragma once

#include <string>
#include <vector>

namespace lockbench {

// `words` are the arguments of main(), with the program's own name first. Call it once in a
// process.
int run_program(const std::vector<std::string>& words);

}  // namespace lockbench
