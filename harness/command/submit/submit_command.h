// SPDX-License-Identifier: Apache-2.0

// `lockbench submit`: gives the shards of a plan to a job engine that is there: Slurm, or GNU
// parallel over ssh. It writes the scripts (scripts.h) and calls the engine; it schedules, moves
// and watches nothing itself.
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
  std::string node_program;  // lockbench, as the nodes call it; empty: this program's file
  std::string partition;
  std::string constraint;
  std::string time_limit;
  bool exclusive = false;                      // is so anyway, unless `shared`
  bool shared = false;                         // a node may have other jobs, too
  std::optional<std::filesystem::path> hosts;  // for GNU parallel
  std::string workdir;                         // on the hosts
  bool dry_run = false;
  std::string program;  // as it was called, for what is to be typed next
};

// Returns the exit code: 0 when the engine has the jobs (Slurm) or has done them (parallel, whose
// own code it is otherwise), 1 when a file could not be written, 2 for what makes no sense.
int submit_command(const SubmitOptions& options);

}  // namespace lockbench
