// SPDX-License-Identifier: Apache-2.0

// `lockbench list`: prints the names that can be used on the command line.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "harness/bench/command/list/list_section.h"

namespace lockbench {

struct ListOptions {
  std::string what;   // as kinds_of_lists() names them; empty: all
  std::string show;   // prints the TOML of this preset; empty: prints the names of presets
  bool json = false;  // else text
};

// Returns the exit code.
// The names of the lists, those of `sections` last.
std::vector<std::string> kinds_of_lists(const std::vector<ListSection>& sections);

int list_command(const ListOptions& options, const std::vector<ListSection>& sections,
                 std::ostream& out, std::ostream& err);

}  // namespace lockbench
