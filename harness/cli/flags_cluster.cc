// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/command_flags.h"
#include "harness/cli/flags.h"
#include "harness/cli/help_texts.h"
#include "harness/plan/shard.h"

namespace lockbench {

void add_merge(CLI::App& app, MergeOptions& options) {
  CLI::App& merge = add_command(
      app, "merge", "Makes one run of the shards of a plan, as if it had run in one place",
      kMergeExamples);
  add_words(merge, "folders", "The folder of the result, then those of shards, or of their folder",
            options.folders);
  add_switch(merge, "--partial", "Merges what is there, and says what is missing", options.partial);
}

std::string validate_merge(const MergeOptions& options) {
  if (options.folders.size() >= 2) return {};
  return "wants the folder of the result, and after it the folders of shards, as `lockbench merge "
         "merged shards`; name the folders of shards";
}

void add_submit(CLI::App& app, SubmitOptions& options) {
  CLI::App& submit = add_command(
      app, "submit", "Gives the shards of a plan to Slurm or GNU parallel", kSubmitExamples);
  add_words(submit, "words",
            "slurm PRESET or parallel PRESET, and after -- flags for `run`; or progress FOLDER",
            options.words);
  add_count(submit, "--shards", {1, Shard::kMost},
            "Into how many parts the plan is divided [with --hosts, one for each host]",
            [&options](std::uint64_t n) { options.shards = static_cast<std::uint32_t>(n); });
  add_folder(submit, "--out",
             "For scripts, shards and result [results/runs/<time>-<preset>-shards-<id>]",
             options.out);
  add_text(submit,
           {.names = "--node-program",
            .type = "FILE",
            .help = "lockbench, as the nodes call it [this program's own path]"},
           options.node_program);
  add_switch(submit, "--dry-run", "Prints the scripts; writes and submits nothing",
             options.dry_run);
  const std::string slurm = "Slurm";
  const auto name = [&](const char* flag, const char* type, const char* help, std::string& text) {
    add_text(submit, {.names = flag, .type = type, .help = help, .group = slurm}, text);
  };
  name("--partition", "NAME", "Partition of the jobs [Slurm's own]", options.partition);
  name("--constraint", "FEATURES", "Features that the nodes must have [none]", options.constraint);
  name("--time", "TIME", "Limit of one task, as sbatch takes it [the partition's]",
       options.time_limit);
  add_switch(submit, "--exclusive", "A node for each task; this is so without it, too",
             options.exclusive);
  add_switch(submit, "--shared", "Nodes may run other jobs at the same time, which disturbs",
             options.shared);
  add_path(submit,
           {.names = "--hosts",
            .type = "FILE",
            .help = "Hosts, one a line, as in a --sshloginfile",
            .group = "GNU parallel"},
           options.hosts);
  add_text(submit,
           {.names = "--workdir",
            .type = "DIR",
            .help = "Folder on the hosts, below the home folder [.lockbench/<name of --out>]",
            .group = "GNU parallel"},
           options.workdir);
}

std::string validate_submit(const CLI::App& submit, const SubmitOptions& options) {
  const std::string engine = options.words.empty() ? "" : options.words.front();
  if (engine != "slurm" && engine != "parallel" && engine != "progress") {
    return "wants slurm, parallel or progress first, as `lockbench submit slurm quick --shards 5`";
  }
  if (options.words.size() < 2) {
    return engine + ": " +
           (engine == "progress" ? "name the folder that was submitted"
                                 : "name a preset, as `lockbench submit " + engine + " quick`");
  }
  if (engine == "parallel" && !options.hosts) {
    return "--hosts: not given; name a file with a host on each line";
  }
  if (options.exclusive && options.shared)
    return "--shared: contradicts --exclusive; leave out one";
  const std::string slurm_only =
      first_given(submit, {"--partition", "--constraint", "--time", "--exclusive", "--shared"});
  if (engine != "slurm" && !slurm_only.empty()) {
    return slurm_only + ": has no meaning with " + engine + "; leave it out";
  }
  const std::string parallel_only = first_given(submit, {"--hosts", "--workdir"});
  if (engine != "parallel" && !parallel_only.empty()) {
    return parallel_only + ": has no meaning with " + engine + "; leave it out";
  }
  return {};
}

}  // namespace lockbench
