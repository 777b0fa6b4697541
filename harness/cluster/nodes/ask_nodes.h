// SPDX-License-Identifier: Apache-2.0

// AskNodes: runs doctor on the machines of a cluster, with the engine that will run the shards
// there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/cluster/nodes/node_answers.h"

namespace lockbench {

// A node, as Slurm describes it.
struct SlurmNode {
  std::string name;
  std::string state;   // idle, allocated, down*, …
  std::string reason;  // for a node that is down or drained; otherwise empty

  bool operator==(const SlurmNode&) const = default;
};

// Where Slurm searches for nodes; empty: anywhere.
struct SlurmSelection {
  std::string partition;  // empty: the default partition
  std::string constraint;
};

// Runs doctor on each node of the partition that has the features of the constraint, in an
// allocation as for a shard: the whole node, with the task bound to all processors. The
// answers include nodes that are busy or down, with the reason. `program`: the path of lockbench on
// the nodes. InvalidArgument or FailedPrecondition if Slurm is missing or has no suitable node.
absl::StatusOr<std::vector<NodeAnswer>> ask_slurm(const std::string& program,
                                                  const SlurmSelection& selection);

// Runs doctor on each host of a --sshloginfile.
absl::StatusOr<std::vector<NodeAnswer>> ask_hosts(const std::string& program,
                                                  const std::filesystem::path& hosts);

namespace internal {

// Parses the output of `sinfo --Node`, with each node once; without a partition, the nodes of the
// default one.
std::vector<SlurmNode> parse_sinfo(std::string_view text, bool any_partition);

// Adds Slurm's state to the answers of the nodes without a report.
void add_states(const std::vector<SlurmNode>& nodes, const SlurmSelection& selection,
                std::vector<NodeAnswer>& answers);

// Sorts the answers in the order of these lines of a --sshloginfile. A line may have more before
// the name: `8/node1`.
void sort_as(const std::vector<std::string>& lines, std::vector<NodeAnswer>& answers);

// Shortens lines like `ssh -p 2222 me@node1` to their last word, if these words are unique.
void shorten_names(std::vector<NodeAnswer>& answers);

// Scripts for sh that print the input of parse_answers(). The script for Slurm reads the names of
// the nodes from its standard input, one on each line.
std::string slurm_doctor_script(const std::string& program, const SlurmSelection& selection);
std::string parallel_doctor_script(const std::string& program, const std::filesystem::path& hosts);

}  // namespace internal

}  // namespace lockbench
