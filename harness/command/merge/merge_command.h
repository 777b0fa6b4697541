// SPDX-License-Identifier: Apache-2.0

// `lockbench merge`: makes one run of the shards of a plan, as if it had run in one place.
#pragma once

#include <string>
#include <vector>

namespace lockbench {

struct MergeOptions {
  std::vector<std::string> folders;  // the result, then the shards
  bool partial = false;              // takes what is there, and says what is missing
  std::string program;               // as it was called, for what is to be typed next
};

// Returns the exit code: 0 when the merged run is written, 1 when it could not be written, 2 for
// runs that cannot be merged, or that lack trials without `partial`.
int merge_command(const MergeOptions& options);

}  // namespace lockbench
