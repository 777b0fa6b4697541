// SPDX-License-Identifier: Apache-2.0

// AskNodes: runs doctor on machines of a cluster, by the engine that will run the shards there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/command/doctor/node_answers.h"

namespace lockbench {

// A node, as Slurm describes it.
struct SlurmNode {
  std::string name;
  std::string state;   // idle, allocated, down*, …
  std::string reason;  // of a node that is down or drained; else empty

  bool operator==(const SlurmNode&) const = default;
};

// Where Slurm is to look for nodes; empty: anywhere.
struct SlurmPlace {
  std::string partition;  // empty: the default partition
  std::string constraint;
};

// Asks each node of the partition that has the features of the constraint, in an allocation like
// that of a shard: the whole node, its task bound to all processors. A node that is busy or down is
// in the answers, with the reason. `program`: lockbench, as the nodes call it. InvalidArgument or
// FailedPrecondition if Slurm is missing or has no such node.
absl::StatusOr<std::vector<NodeAnswer>> ask_slurm(const std::string& program,
                                                  const SlurmPlace& place);

// Asks each host of a --sshloginfile.
absl::StatusOr<std::vector<NodeAnswer>> ask_hosts(const std::string& program,
                                                  const std::filesystem::path& hosts);

namespace internal {

// Of `sinfo --Node`, each node once; without a partition those of the default one.
std::vector<SlurmNode> parse_sinfo(std::string_view text, bool any_partition);

// Adds what Slurm says of them to the nodes without a report.
void add_states(const std::vector<SlurmNode>& nodes, const SlurmPlace& place,
                std::vector<NodeAnswer>& answers);

// In the order of these lines of a --sshloginfile, which may have more before the name: `8/node1`.
void sort_as(const std::vector<std::string>& lines, std::vector<NodeAnswer>& answers);

// Of lines as `ssh -p 2222 me@node1`, the last word, if that tells all of them apart.
void shorten_names(std::vector<NodeAnswer>& answers);

// Scripts for sh that print what parse_answers() reads. The one for Slurm has the nodes' names on
// its standard input, one on each line.
std::string slurm_doctor_script(const std::string& program, const SlurmPlace& place);
std::string parallel_doctor_script(const std::string& program, const std::filesystem::path& hosts);

}  // namespace internal

}  // namespace lockbench
