// SPDX-License-Identifier: Apache-2.0

// `lockbench list`: what can be named on the command line.
#pragma once

#include <iosfwd>
#include <string>

namespace lockbench {

struct ListOptions {
  std::string what;   // primitives, workloads, presets or targets; empty: all
  std::string show;   // of presets: prints the TOML of this one; empty: their names
  bool json = false;  // else text
};

// Returns the exit code.
int list_command(const ListOptions& options, std::ostream& out, std::ostream& err);

}  // namespace lockbench
