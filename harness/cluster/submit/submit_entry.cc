// SPDX-License-Identifier: Apache-2.0

// The command `submit`.

#include <memory>
#include <string>
#include <vector>

#include "harness/bench/plan/shard.h"
#include "harness/cli/command.h"
#include "harness/cli/flags.h"
#include "harness/cluster/submit/cluster_flags.h"
#include "harness/cluster/submit/submit_command.h"

namespace lockbench {
namespace {

constexpr char kFooter[] =
    "Writes job scripts and starts them with Slurm, or with GNU parallel over ssh. Each shard is\n"
    "one task with a node for itself; a merge follows. A task that is requeued, killed or\n"
    "submitted again continues its shard. docs/cluster.md is a guide from one machine to a\n"
    "cluster.\n"
    "\n"
    "Examples\n"
    "  lockbench submit slurm threads --shards 5 --dry-run\n"
    "  lockbench submit slurm threads --shards 10 --partition bench -- --blocks 10 --seed 7\n"
    "  lockbench submit parallel threads --hosts hosts.txt\n"
    "  lockbench submit progress results/runs/20250131-120000-threads-shards-1a2b\n"
    "\n"
    "Exit codes: 0 submitted (parallel: done), 1 a file could not be written, 2 bad input or\n"
    "the engine is not installed here.\n";

class SubmitEntry final : public CommandWithOptions<SubmitOptions> {
 public:
  SubmitEntry()
      : CommandWithOptions({.name = "submit",
                            .group = CommandGroup::kMachines,
                            .summary = "Gives the shards of a plan to Slurm or GNU parallel",
                            .footer = kFooter}) {}

  bool takes_words_after_dashes() const override { return true; }

  void add_flags(CLI::App& submit) override {
    SubmitOptions& options = options_;
    add_words(submit, "words",
              "slurm PRESET or parallel PRESET, and after -- flags for `run`; or progress FOLDER",
              options.words);
    add_count(submit, "--shards", {1, Shard::kMost},
              "Number of parts of the plan [with --hosts, one for each host]", options.shards);
    add_folder(submit, "--out",
               "Folder for scripts, shards and result [results/runs/<time>-<preset>-shards-<id>]",
               options.out);
    add_node_program(submit, options.node_program);
    add_switch(submit, "--dry-run", "Prints the scripts; writes and submits nothing",
               options.dry_run);
    add_slurm_name(submit, "--partition", "NAME", "Partition of the jobs [Slurm's own]",
                   options.partition);
    add_slurm_name(submit, "--constraint", "FEATURES", "Features that the nodes must have [none]",
                   options.constraint);
    add_slurm_name(submit, "--time", "TIME",
                   "Limit of one task, as sbatch takes it [the partition's]", options.time_limit);
    add_switch(submit, "--exclusive", "A node for each task (the default)", options.exclusive);
    add_switch(submit, "--shared", "Nodes may run other jobs at the same time, which disturbs",
               options.shared);
    add_hosts(submit, options.hosts);
    add_text(submit,
             {.names = "--workdir",
              .type = "DIR",
              .help = "Folder on the hosts, below the home folder [.lockbench/<name of --out>]",
              .group = "GNU parallel"},
             options.workdir);
  }

  std::string complete(const CLI::App& submit, const Invocation& invocation) override {
    options_.program = invocation.program;
    const SubmitOptions& options = options_;
    const std::string engine = options.words.empty() ? "" : options.words.front();
    if (engine != "slurm" && engine != "parallel" && engine != "progress") {
      return "wants slurm, parallel or progress first, as `lockbench submit slurm quick --shards "
             "5`";
    }
    if (options.words.size() < 2) {
      return engine + ": " +
             (engine == "progress" ? "name the folder that was submitted"
                                   : "name a preset, as `lockbench submit " + engine + " quick`");
    }
    if (engine == "parallel" && !options.hosts) {
      return kNoHosts;
    }
    if (options.exclusive && options.shared)
      return "--shared: contradicts --exclusive; leave out one";
    return of_the_other_engine(submit, engine,
                               {"--partition", "--constraint", "--time", "--exclusive", "--shared"},
                               {"--hosts", "--workdir"});
  }

  int run(const Invocation& invocation) override {
    std::vector<std::string>& words = options_.words;
    words.insert(words.end(), invocation.after_dashes.begin(), invocation.after_dashes.end());
    return submit_command(options_);
  }
};

}  // namespace

void add_submit_commands(Commands& all) {
  all.push_back(std::make_unique<SubmitEntry>());
}

}  // namespace lockbench
