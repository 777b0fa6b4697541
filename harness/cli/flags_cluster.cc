// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/command_flags.h"
#include "harness/cli/flags.h"
#include "harness/cli/help_texts.h"
#include "harness/plan/shard.h"

namespace lockbench {
namespace {

// The flag that `submit` and `doctor --nodes` share.
void add_node_program(CLI::App& app, std::string& program) {
  add_text(app,
           {.names = "--node-program",
            .type = "FILE",
            .help = "Path of lockbench on the nodes [this program's own path]"},
           program);
}

void add_slurm_name(CLI::App& app, const char* flag, const char* type, const char* help,
                    std::string& text) {
  add_text(app, {.names = flag, .type = type, .help = help, .group = "Slurm"}, text);
}

void add_hosts(CLI::App& app, std::optional<std::filesystem::path>& hosts) {
  add_path(app,
           {.names = "--hosts",
            .type = "FILE",
            .help = "Hosts, one per line, as in a --sshloginfile",
            .group = "GNU parallel"},
           hosts);
}

// The flags that belong to one engine but were given with the other engine; empty if there are
// none.
std::string of_the_other_engine(const CLI::App& command, const std::string& engine,
                                std::initializer_list<const char*> of_slurm,
                                std::initializer_list<const char*> of_parallel) {
  const std::string slurm_only = first_given(command, of_slurm);
  const std::string parallel_only = first_given(command, of_parallel);
  const std::string flag = engine != "slurm" && !slurm_only.empty()         ? slurm_only
                           : engine != "parallel" && !parallel_only.empty() ? parallel_only
                                                                            : "";
  return flag.empty() ? "" : flag + ": has no meaning with " + engine + "; leave it out";
}

constexpr char kNoHosts[] = "--hosts: not given; name a file with a host on each line";

}  // namespace

void add_merge(CLI::App& app, MergeOptions& options) {
  CLI::App& merge =
      add_command(app, "merge", "Makes one run from the shards of a plan", kMergeExamples);
  add_words(merge, "folders",
            "The folder of the result, then the folders of shards, or a folder of them",
            options.folders);
  add_switch(merge, "--partial", "Merges incomplete shards, and reports what is missing",
             options.partial);
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
    return kNoHosts;
  }
  if (options.exclusive && options.shared)
    return "--shared: contradicts --exclusive; leave out one";
  return of_the_other_engine(submit, engine,
                             {"--partition", "--constraint", "--time", "--exclusive", "--shared"},
                             {"--hosts", "--workdir"});
}

void add_doctor(CLI::App& app, DoctorOptions& options) {
  CLI::App& doctor =
      add_command(app, "doctor", "Lists what disturbs measurements on a machine, and how to fix it",
                  kDoctorExamples);
  add_text_or_json(doctor, "text or json [text]", options.json);
  add_word(doctor,
           {.names = "--nodes",
            .type = "ENGINE",
            .help = "Checks the machines of a cluster: slurm or parallel [this machine]"},
           {"slurm", "parallel"}, options.nodes);
  add_node_program(doctor, options.node_program);
  add_slurm_name(doctor, "--partition", "NAME", "Partition of the nodes [the default one]",
                 options.partition);
  add_slurm_name(doctor, "--constraint", "FEATURES", "Features that the nodes must have [none]",
                 options.constraint);
  add_hosts(doctor, options.hosts);
}

std::string validate_doctor(const CLI::App& doctor, const DoctorOptions& options) {
  if (options.nodes.empty()) {
    const std::string flag =
        first_given(doctor, {"--partition", "--constraint", "--hosts", "--node-program"});
    return flag.empty() ? ""
                        : flag +
                              ": is for the nodes of a cluster; write --nodes slurm or --nodes "
                              "parallel, too";
  }
  if (options.nodes == "parallel" && !options.hosts) return kNoHosts;
  return of_the_other_engine(doctor, options.nodes, {"--partition", "--constraint"}, {"--hosts"});
}

}  // namespace lockbench
