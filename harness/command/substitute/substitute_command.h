// SPDX-License-Identifier: Apache-2.0

// `lockbench substitute`: runs a program with another lock in the place of its pthread mutexes.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "harness/command/substitute/substituted_lock.h"

namespace lockbench {

struct SubstituteOptions {
  Substitution with;
  std::vector<std::string> command;
};

// Replaces this process by the program; returns only if that is not possible: kBadInput.
int substitute_command(const SubstituteOptions& options, std::ostream& err);

}  // namespace lockbench
