// SPDX-License-Identifier: Apache-2.0

// Targets: the parsers of texts from outside, each with what must hold whatever the text. A target
// ends the process when it does not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockbench::fuzz {

using Seeds = std::vector<std::string>;

struct Target {
  std::string_view name;
  void (*run)(std::string_view text);
  Seeds (*seeds)();  // texts that it accepts, most of them
};

std::vector<Target> all_targets();

// Those of stress and plug-ins.
std::vector<Target> program_targets();

// Those that other folders have named by lockbench_fuzz_targets().
std::vector<Target> added_targets();

}  // namespace lockbench::fuzz
