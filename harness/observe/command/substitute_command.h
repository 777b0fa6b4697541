// SPDX-License-Identifier: Apache-2.0

// `lockbench substitute`: runs a program with another lock in the place of its pthread mutexes.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "harness/observe/command/substituted_lock.h"

namespace lockbench {

struct SubstituteOptions {
  Substitution with;
  std::vector<std::string> command;
};

// Runs the program in the foreground, and returns its exit code. If a program of the run did not
// load the lock, says so. kBadInput if the program cannot be started.
int substitute_command(const SubstituteOptions& options, std::ostream& err);

}  // namespace lockbench
