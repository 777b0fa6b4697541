// SPDX-License-Identifier: Apache-2.0

// `lockbench merge`: combines the shards of a plan into one run, as if they had run in one place.
#pragma once

#include <string>
#include <vector>

namespace lockbench {

struct MergeOptions {
  std::vector<std::string> folders;  // the result, then the shards
  bool partial = false;              // merges the trials that exist, and reports the missing ones
  std::string program;               // how it was called, for the commands in messages
};

// Returns the exit code: 0 if the merged run was written, 1 if it could not be written, 2 if the
// runs cannot be merged or if trials are missing without `partial`.
int merge_command(const MergeOptions& options);

}  // namespace lockbench
