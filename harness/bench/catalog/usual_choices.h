// SPDX-License-Identifier: Apache-2.0

// UsualChoices: the choices that users type for an entry. If several entries share a name, the
// first one has the default choices, and the others name those that differ.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "harness/bench/catalog/line.h"

namespace lockbench {

class UsualChoices {
 public:
  // Call it for each entry, in the order of the catalog. Not inlined: a caller is a template.
  [[gnu::noinline]] std::vector<Choice> without_usual(const Listing& listing) {
    const std::vector<Choice>& usual = of_.try_emplace(listing.name, listing.choices).first->second;
    std::vector<Choice> others;
    for (const Choice& choice : listing.choices) {
      if (std::find(usual.begin(), usual.end(), choice) == usual.end()) others.push_back(choice);
    }
    return others;
  }

 private:
  std::map<std::string, std::vector<Choice>> of_;  // by name
};

}  // namespace lockbench
