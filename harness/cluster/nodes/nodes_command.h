// SPDX-License-Identifier: Apache-2.0

// `lockbench doctor --nodes`: what disturbs measurements on the machines of a cluster.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>

namespace lockbench {

struct NodesOptions {
  bool json = false;                           // else text
  std::string nodes;                           // slurm or parallel; empty: none
  std::string partition;                       // Slurm
  std::string constraint;                      // Slurm
  std::optional<std::filesystem::path> hosts;  // GNU parallel
  std::string node_program;  // path of lockbench on the nodes; empty: this program's path
};

// Checks the nodes, and writes the findings to `out`. Returns the exit code: kFound if there is a
// problem, else kCouldNotFinish if a node did not answer, else kSuccess.
int examine_nodes(const NodesOptions& options, std::ostream& out, std::ostream& err);

}  // namespace lockbench
