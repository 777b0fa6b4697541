// SPDX-License-Identifier: Apache-2.0

// `lockbench list`: prints the names that can be used on the command line.
#pragma once

#include <iosfwd>
#include <string>

namespace lockbench {

struct ListOptions {
  std::string what;   // primitives, workloads, presets, targets or machines; empty: all
  std::string show;   // prints the TOML of this preset; empty: prints the names of presets
  bool json = false;  // else text
};

// Returns the exit code.
int list_command(const ListOptions& options, std::ostream& out, std::ostream& err);

}  // namespace lockbench
