// SPDX-License-Identifier: Apache-2.0

#include "tests/primitives/any_primitive.h"

namespace lockbench {

std::string_view characters_of(std::size_t number) {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> made;
    for (std::size_t n = 0; n < kManyKeys; ++n) {
      made.push_back("user" + std::to_string(n) + "@mail.example.org");
    }
    return made;
  }();
  return all[number];
}

}  // namespace lockbench
