// SPDX-License-Identifier: Apache-2.0

// ListSection: what a capability adds to `lockbench list`.
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

}  // namespace lockbench
