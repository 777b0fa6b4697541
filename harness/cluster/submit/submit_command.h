// SPDX-License-Identifier: Apache-2.0

// `lockbench submit`: submits the shards of a plan to an existing job engine: Slurm, or GNU
// parallel over ssh. It writes the scripts (scripts.h) and calls the engine. It does not schedule,
// move or watch anything itself.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lockbench {

struct SubmitOptions {
  std::vector<std::string> words;  // slurm, parallel or progress; the preset; flags for `run`
  std::optional<std::uint32_t> shards;
  std::optional<std::filesystem::path> out;
  std::string node_program;  // path of lockbench on the nodes; empty: this program's path
  std::string partition;
  std::string constraint;
  std::string time_limit;
  bool exclusive = false;                      // the default, unless `shared` is set
  bool shared = false;                         // a node may run other jobs, too
  std::optional<std::filesystem::path> hosts;  // for GNU parallel
  std::string workdir;                         // on the hosts
  bool dry_run = false;
  std::string program;  // how it was called, for the commands in messages
};

// Returns the exit code: 0 if the engine accepted the jobs (Slurm) or has run them (parallel, whose
// exit code is returned otherwise), 1 if a file could not be written, 2 for invalid input.
int submit_command(const SubmitOptions& options);

}  // namespace lockbench
