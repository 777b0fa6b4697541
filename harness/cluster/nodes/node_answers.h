// SPDX-License-Identifier: Apache-2.0

// NodeAnswers: the outputs of `lockbench doctor --format json` on several machines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/bench/command/doctor/doctor_report.h"

namespace lockbench {

struct NodeAnswer {
  std::string name;
  std::optional<DoctorReport> report;
  std::string trouble;        // why there is no report; empty if there is one
  bool not_eligible = false;  // the engine does not offer this node under the constraint

  bool operator==(const NodeAnswer&) const = default;
};

// Parses the output of a script of ask_nodes.h: lines `out|err|end <tab> node <tab> text`, in which
// the lines of several nodes may alternate. The text of `end` is the exit code. The result is in
// the order of the nodes' first lines.
std::vector<NodeAnswer> parse_answers(std::string_view text);

}  // namespace lockbench
