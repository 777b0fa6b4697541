// SPDX-License-Identifier: Apache-2.0

// `lockbench doctor`: what disturbs measurements on this machine, and what helps.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "harness/command/doctor/diagnosis.h"

namespace lockbench {

enum class DoctorFormat { kText, kJson };

// Reads this machine, which takes about a second, and writes the findings to `out`. Returns the
// exit code: kFound if there is a problem, else kSuccess.
int doctor_command(DoctorFormat format, std::ostream& out);

// A summary, a block for each problem and note in the order given, and a line for the rest.
std::string findings_text(const std::vector<Finding>& findings);

// {"problems": 1, "notes": 0, "findings": [{"severity", "name", "what", "effect", "fix"}, …]}. A
// finding of severity `fine` has no effect and no fix.
std::string findings_json(const std::vector<Finding>& findings);

}  // namespace lockbench
