// SPDX-License-Identifier: Apache-2.0

#include "harness/cluster/submit/scripts.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <absl/strings/str_format.h>

#include "harness/base/shell_command.h"
#include "harness/bench/record/meta.h"
#include "harness/cluster/submit/job_engines.h"

namespace lockbench {
namespace {

// The number of times that a task starts a run again if it was killed or could not finish.
constexpr int kMostStarts = 5;

std::string quoted(const std::string& word) {
  return shell_command({word});
}

std::string job_name(const Submission& submission) {
  const std::string preset = std::filesystem::path(submission.preset).stem().string();
  return "lockbench-" + preset;
}

std::string directives(const std::vector<std::pair<std::string, std::string>>& options) {
  std::string text;
  for (const auto& [name, value] : options) {
    text += "#SBATCH --" + name + (value.empty() ? "" : "=" + value) + "\n";
  }
  return text;
}

void add_selection(const Submission& submission,
                   std::vector<std::pair<std::string, std::string>>& options) {
  if (submission.partition) options.emplace_back("partition", *submission.partition);
  if (submission.constraint) options.emplace_back("constraint", *submission.constraint);
}

// `shard` and `out` are words for the shell, quoted as they must be.
std::string run_command_of(const Submission& submission, const std::string& shard,
                           const std::string& out) {
  std::string command = quoted(submission.program) + " run " + quoted(submission.preset);
  if (!submission.run_flags.empty()) command += " " + shell_command(submission.run_flags);
  return command + " --progress line --shard " + shard + " --out " + out;
}

std::string merge_command_of(const Submission& submission) {
  return quoted(submission.program) + " merge --partial merged shards\n";
}

}  // namespace

absl::Status check_for_slurm(const Submission& submission) {
  const std::array<std::pair<std::string_view, std::string>, 5> words{{
      {"--out", submission.folder.string()},
      {"the preset", job_name(submission)},
      {"--partition", submission.partition.value_or("")},
      {"--constraint", submission.constraint.value_or("")},
      {"--time", submission.time_limit.value_or("")},
  }};
  for (const auto& [flag, word] : words) {
    if (word.find_first_of(" \t\n\"'\\%#") == std::string::npos) continue;
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: '%s' has a blank, a quote, a backslash, # or %%, which sbatch reads in "
        "its own way; use another name",
        flag, word));
  }
  return absl::OkStatus();
}

std::string slurm_shard_script(const Submission& submission) {
  const std::string folder = submission.folder.string();
  std::vector<std::pair<std::string, std::string>> options{
      {"job-name", job_name(submission)},
      {"array", absl::StrFormat("1-%d", submission.shards)},
      {"nodes", "1"},
      {"ntasks", "1"}};
  if (submission.exclusive) options.emplace_back("exclusive", "");
  add_selection(submission, options);
  if (submission.time_limit) options.emplace_back("time", *submission.time_limit);
  // A requeued task appends to the output of its first start.
  options.insert(options.end(), {{"requeue", ""},
                                 {"open-mode", "append"},
                                 {"chdir", folder},
                                 {"output", folder + "/logs/%a.log"}});
  const std::string shard = absl::StrFormat("\"$SLURM_ARRAY_TASK_ID/%d\"", submission.shards);
  return "#!/bin/sh\n" + directives(options) +
         "# One shard of a plan on a node. srun binds it to the processors of the job. A run that "
         "was\n"
         "# killed (137) or could not finish (1) is started again and goes on with its shard.\n"
         "start=1\n"
         "while :; do\n"
         "  " +
         srun_of_task("\"$SLURM_CPUS_ON_NODE\"") + " \\\n    " +
         run_command_of(submission, shard, "\"shards/$SLURM_ARRAY_TASK_ID\"") +
         "\n"
         "  code=$?\n" +
         absl::StrFormat("  [ \"$start\" -lt %d ] || exit \"$code\"\n", kMostStarts) +
         "  [ \"$code\" -eq 137 ] || [ \"$code\" -eq 1 ] || exit \"$code\"\n"
         "  start=$((start + 1))\n"
         "done\n";
}

std::string slurm_merge_script(const Submission& submission) {
  const std::string folder = submission.folder.string();
  std::vector<std::pair<std::string, std::string>> options{
      {"job-name", job_name(submission) + "-merge"}, {"nodes", "1"}, {"ntasks", "1"}};
  add_selection(submission, options);
  options.insert(options.end(), {{"chdir", folder}, {"output", folder + "/logs/merge.log"}});
  return "#!/bin/sh\n" + directives(options) +
         "# After all shards ended, however they ended: says what is missing.\n"
         "exec " +
         merge_command_of(submission);
}

std::string parallel_script(const Submission& submission) {
  // On the hosts, the folder is below the home folder. A host may also have this folder, and must
  // not write to it.
  const std::string there =
      submission.there.value_or(".lockbench/" + submission.folder.filename().string());
  const std::string basefile =
      submission.preset_is_file ? " --basefile " + quoted(submission.preset) : "";
  // GNU parallel replaces {} by the number of the shard.
  const std::string command =
      run_command_of(submission, absl::StrFormat("{}/%d", submission.shards), "shards/{}");
  std::string shards;
  for (std::uint32_t i = 1; i <= submission.shards; ++i) shards += " " + std::to_string(i);
  return "#!/bin/sh\n"
         "# One shard of a plan on each host at a time. Given again, it goes on with what is not "
         "done.\n"
         "cd " +
         quoted(submission.folder.string()) +
         " || exit 1\n"
         "for shard in" +
         shards +
         "; do mkdir -p \"shards/$shard\"; done\n"
         "parallel --will-cite --jobs 1 --retries 3 --line-buffer --tagstring 'shard {}' \\\n"
         "  --sshloginfile " +
         quoted(submission.hosts.string()) + " --workdir " + quoted(there) +
         " \\\n"
         "  --joblog joblog --resume-failed \\\n"
         "  --transferfile shards/{} --return shards/{}" +
         basefile + " \\\n  " + quoted(command) + " :::" + shards +
         "\n"
         "exec " +
         merge_command_of(submission);
}

}  // namespace lockbench
