// SPDX-License-Identifier: Apache-2.0

#include "harness/cluster/submit/cluster_flags.h"

#include "harness/cli/flags.h"

namespace lockbench {

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

}  // namespace lockbench
