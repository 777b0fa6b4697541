// SPDX-License-Identifier: Apache-2.0

// The commands of this program, in the order of the folders that add them. CMakeLists.txt writes
// the source of this function from the folders' lockbench_commands() lines.
#pragma once

#include "harness/cli/command.h"

namespace lockbench {

Commands all_commands();

}  // namespace lockbench
