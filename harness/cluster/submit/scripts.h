// SPDX-License-Identifier: Apache-2.0

// Scripts: the text of the scripts for a job engine. Pure.
//
// Everything is below one folder:
//
//   shards/<i>   the folder of a shard          logs/       the output of tasks
//   shard.sh     the job of one shard (Slurm)   merged      the result
//   merge.sh     the job that merges (Slurm)    joblog      the finished tasks (GNU parallel)
//   run.sh       the whole run (GNU parallel)
//
// A user can read and change each script and submit it by hand. A task that is submitted again
// continues its shard (run_shard.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <absl/status/status.h>

namespace lockbench {

struct Submission {
  std::string program;  // path of lockbench on the nodes
  std::string preset;   // a name, or the name of a file in `folder`
  bool preset_is_file = false;
  std::vector<std::string> run_flags;  // for `lockbench run`
  std::uint32_t shards = 1;
  std::filesystem::path folder;  // absolute

  // Slurm.
  std::optional<std::string> partition;
  std::optional<std::string> constraint;
  std::optional<std::string> time_limit;  // of one task, in the format of sbatch
  bool exclusive = true;                  // a node for each task

  // GNU parallel.
  std::filesystem::path hosts;       // its --sshloginfile
  std::optional<std::string> there;  // the folder on the hosts
};

// OK if these names are valid for sbatch, which splits its directives at blanks.
absl::Status check_for_slurm(const Submission& submission);

std::string slurm_shard_script(const Submission& submission);
std::string slurm_merge_script(const Submission& submission);

// Starts everything, waits for it, and merges.
std::string parallel_script(const Submission& submission);

}  // namespace lockbench
