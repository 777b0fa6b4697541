// SPDX-License-Identifier: Apache-2.0

// `lockbench doctor`: reports what disturbs measurements on this machine or on a cluster,
// and what helps.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>

namespace lockbench {

struct DoctorOptions {
  bool json = false;                           // else text
  std::string nodes;                           // slurm or parallel; empty: this machine
  std::string partition;                       // Slurm
  std::string constraint;                      // Slurm
  std::optional<std::filesystem::path> hosts;  // GNU parallel
  std::string node_program;  // path of lockbench on the nodes; empty: this program's path
};

// Checks this machine, which takes about a second, or the nodes, and writes the findings to `out`.
// Returns the exit code: kFound if there is a problem, else kCouldNotFinish if a node did not
// answer, else kSuccess.
int doctor_command(const DoctorOptions& options, std::ostream& out, std::ostream& err);

}  // namespace lockbench
