// SPDX-License-Identifier: Apache-2.0

// DoctorReport: what doctor says of one machine, as JSON and read again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/bench/command/doctor/diagnosis.h"
#include "harness/bench/record/build.h"
#include "harness/bench/record/machine.h"

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

}  // namespace lockbench
