// SPDX-License-Identifier: Apache-2.0

// shell_command: the words as one command line for a POSIX shell.
#pragma once

#include <string>
#include <vector>

namespace lockbench {

// Words with other characters than those of names, numbers and paths are quoted.
std::string shell_command(const std::vector<std::string>& words);

}  // namespace lockbench
