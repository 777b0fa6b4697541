// SPDX-License-Identifier: Apache-2.0

// ListSection: what a capability adds to `lockbench list`. Its program has a `list` of its own with
// the section; lockbench itself asks that program.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>

namespace lockbench {

struct ListedThing {
  std::string name;
  std::string title;
  std::vector<std::pair<std::string, std::int64_t>> numbers;  // for --format json
};

struct ListSection {
  std::string name;   // as it is named on the command line: machines
  std::string title;  // above it
  std::function<absl::StatusOr<std::vector<ListedThing>>()> things;
};

// The sections that other programs describe, as {"name": …, "title": …}. A section runs the
// program's `list NAME --format json`.
std::vector<ListSection> sections_of_programs();

}  // namespace lockbench
