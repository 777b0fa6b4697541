// SPDX-License-Identifier: Apache-2.0

// NodesPage: combines the reports of several machines and says what to fix before a run on all of
// them. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/cluster/nodes/node_answers.h"

namespace lockbench {

// Nodes with equal properties, by name.
struct NodeGroup {
  std::vector<std::string> nodes;
  std::vector<std::string> differences;  // from the first group

  bool operator==(const NodeGroup&) const = default;
};

struct NodesSummary {
  std::vector<NodeAnswer> nodes;  // the nodes that the run would use, in the order of the engine
  std::vector<std::string> not_eligible;  // names of the others
  // Grouped by all members of kMachineConditions, the largest group first. Figures of two kinds are
  // not mixed.
  std::vector<NodeGroup> kinds;
  std::vector<NodeGroup> builds;  // of lockbench; merge refuses shards of two builds
  std::vector<std::vector<std::string>>
      same;                            // names of the same machine: shards there would overlap
  std::vector<std::string> silent;     // without a report
  std::vector<std::string> disturbed;  // with a problem
};

NodesSummary summarized(std::vector<NodeAnswer> answers);

// A table with a line for each node, the differences, each finding with the nodes that have it, and
// a last line that says what to do. `submit`: the command that submits a run to these nodes.
std::string nodes_text(const NodesSummary& summary, const std::string& submit);

// The same for programs: {"nodes": [{"node", "kind", and the members of doctor_json(), or
// "trouble"}, …], "kinds": [{"nodes", "differences"}, …], "builds": [as kinds], "same_machine",
// "not_eligible", "to_do"}.
std::string nodes_json(const NodesSummary& summary, const std::string& submit);

// kFound if something on a node disturbs a run; else kCouldNotFinish if a node did not answer.
int exit_code_of(const NodesSummary& summary);

}  // namespace lockbench
