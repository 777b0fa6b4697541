// SPDX-License-Identifier: Apache-2.0

// Targets: the parsers of texts from outside, each with what must hold whatever the text. A target
// ends the process when it does not.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockbench {

struct FuzzTarget {
  std::string_view name;
  void (*run)(std::string_view text);
  std::vector<std::string> (*seeds)();  // texts that it accepts
};

std::span<const FuzzTarget> fuzz_targets();

}  // namespace lockbench
