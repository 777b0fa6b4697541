// SPDX-License-Identifier: Apache-2.0

// ProgressOfShards: the progress of the shards in a folder, computed from their files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include <absl/status/statusor.h>

namespace lockbench {

struct ProgressOfShards {
  std::size_t trials = 0;  // of the plan; 0 while no shard has begun
  std::size_t done = 0;    // trials that have a row
  std::size_t shards = 0;  // 0 while no shard has begun
  std::size_t begun = 0;
  std::size_t finished = 0;

  bool operator==(const ProgressOfShards&) const = default;
};

// Reads <folder>/shards. Tasks may be writing there at the same time.
absl::StatusOr<ProgressOfShards> progress_of_shards(const std::filesystem::path& folder);

// `37 of 120 trials (30 %), 2 of 8 shards finished, 3 going on or stopped, 3 not begun`.
std::string to_text(const ProgressOfShards& progress);

}  // namespace lockbench
