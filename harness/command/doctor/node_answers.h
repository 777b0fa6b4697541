// SPDX-License-Identifier: Apache-2.0

// NodeAnswers: the outputs of `lockbench doctor --format json` on several machines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/command/doctor/diagnosis.h"
#include "harness/record/build.h"
#include "harness/record/machine.h"

namespace lockbench {

// The report of doctor on one machine.
struct DoctorReport {
  Machine machine;
  Build build;
  std::vector<Finding> findings;  // the most severe first

  bool operator==(const DoctorReport&) const = default;
};

// {"machine": {…}, "build": {…}, "problems": 1, "notes": 0, "findings": [{"severity", "name",
// "what", "effect", "fix"}, …]}: machine and build as in meta.json. A finding of severity `fine`
// has no effect and no fix.
std::string doctor_json(const DoctorReport& report);

// InvalidArgument names the member that is missing or of a wrong type.
absl::StatusOr<DoctorReport> parse_doctor_json(std::string_view text);

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
