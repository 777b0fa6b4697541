// SPDX-License-Identifier: Apache-2.0

// The part of `doctor` that the machines of a cluster add.

#include <memory>
#include <ostream>
#include <string>

#include <nlohmann/json.hpp>

#include "harness/bench/command/doctor/doctor_entry.h"
#include "harness/cli/command.h"
#include "harness/cli/flags.h"
#include "harness/cluster/nodes/nodes_command.h"
#include "harness/cluster/submit/cluster_flags.h"

namespace lockbench {
namespace {

class ClusterNodes final : public OtherMachines {
 public:
  std::string about() const override {
    return "With --nodes it checks each machine of a cluster, through Slurm (salloc and srun) or "
           "GNU\n"
           "parallel over ssh. It prints one table: which machines are of one kind, what to fix "
           "on\n"
           "which, and which do not answer and why. The last line says what to do before a run.\n"
           "\n";
  }
  std::string exit_codes() const override {
    return "1 a node did not answer, 2 bad input or the\nengine is not installed here";
  }
  std::string examples() const override {
    return "  lockbench doctor --nodes slurm --partition bench --constraint zen4\n"
           "  lockbench doctor --nodes parallel --hosts hosts.txt\n";
  }

  void add_flags(CLI::App& doctor) override {
    add_word(doctor,
             {.names = "--nodes",
              .type = "ENGINE",
              .help = "Checks the machines of a cluster: slurm or parallel [this machine]"},
             {"slurm", "parallel"}, options_.nodes);
    add_node_program(doctor, options_.node_program);
    add_slurm_name(doctor, "--partition", "NAME", "Partition of the nodes [the default one]",
                   options_.partition);
    add_slurm_name(doctor, "--constraint", "FEATURES", "Features that the nodes must have [none]",
                   options_.constraint);
    add_hosts(doctor, options_.hosts);
  }

  std::string complete(const CLI::App& doctor, const Invocation&) override {
    if (options_.nodes.empty()) {
      const std::string flag =
          first_given(doctor, {"--partition", "--constraint", "--hosts", "--node-program"});
      return flag.empty() ? ""
                          : flag +
                                ": is for the nodes of a cluster; write --nodes slurm or --nodes "
                                "parallel, too";
    }
    if (options_.nodes == "parallel" && !options_.hosts) return kNoHosts;
    return of_the_other_engine(doctor, options_.nodes, {"--partition", "--constraint"},
                               {"--hosts"});
  }

  bool are_asked() const override { return !options_.nodes.empty(); }

  int check(bool json, std::ostream& out, std::ostream& err) override {
    options_.json = json;
    return examine_nodes(options_, out, err);
  }

 private:
  NodesOptions options_;
};

}  // namespace

void add_nodes(Commands& all) {
  if (auto* const doctor = find_command<DoctorEntry>(all)) {
    doctor->add_machines(std::make_unique<ClusterNodes>());
  }
}

void describe_cluster(nlohmann::json& adds) {
  ClusterNodes nodes;
  adds["doctor"] = described(nodes);
}

}  // namespace lockbench
