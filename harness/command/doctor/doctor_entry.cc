// SPDX-License-Identifier: Apache-2.0

// The command `doctor`.

#include <iostream>
#include <memory>
#include <string>

#include "harness/cli/cluster_flags.h"
#include "harness/cli/command.h"
#include "harness/cli/flags.h"
#include "harness/command/doctor/doctor_command.h"

namespace lockbench {
namespace {

constexpr char kFooter[] =
    "Checks clocks, other load, limits and tools; changes nothing. Takes about a second.\n"
    "\n"
    "With --nodes it checks each machine of a cluster, through Slurm (salloc and srun) or GNU\n"
    "parallel over ssh. It prints one table: which machines are of one kind, what to fix on\n"
    "which, and which do not answer and why. The last line says what to do before a run.\n"
    "\n"
    "Exit codes: 0 nothing disturbs measurements, 1 a node did not answer, 2 bad input or the\n"
    "engine is not installed here, 3 something disturbs measurements.\n"
    "\n"
    "Examples\n"
    "  lockbench doctor\n"
    "  lockbench doctor --format json\n"
    "  lockbench doctor --nodes slurm --partition bench --constraint zen4\n"
    "  lockbench doctor --nodes parallel --hosts hosts.txt\n";

class DoctorEntry final : public CommandWithOptions<DoctorOptions> {
 public:
  DoctorEntry()
      : CommandWithOptions(
            {.name = "doctor",
             .group = CommandGroup::kUpkeep,
             .summary = "Lists what disturbs measurements on a machine, and how to fix it",
             .footer = kFooter}) {}

  void add_flags(CLI::App& doctor) override {
    DoctorOptions& options = options_;
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

  std::string complete(const CLI::App& doctor, const Invocation&) override {
    const DoctorOptions& options = options_;
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

  int run(const Invocation&) override { return doctor_command(options_, std::cout, std::cerr); }
};

}  // namespace

void add_doctor_commands(Commands& all) {
  all.push_back(std::make_unique<DoctorEntry>());
}

}  // namespace lockbench
