// SPDX-License-Identifier: Apache-2.0

// `lockbench doctor`: what on this machine will spoil a measurement, and how to mend it.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "harness/command/doctor/diagnosis.h"

namespace lockbench {

enum class DoctorFormat { kText, kJson };

// Reads this machine, which takes about a second, and says what it found on `out`. Returns the exit
// code: 1 when something spoils measurements, else 0.
int doctor_command(DoctorFormat format, std::ostream& out);

// A summary and a block for each finding, in the order given; what is fine has a line.
std::string findings_text(const std::vector<Finding>& findings);

// {"spoils": 1, "notes": 0, "findings": [{"severity", "name", "what", "how", "mend"}, …]}; `how`
// and `mend` are left out of what is fine.
std::string findings_json(const std::vector<Finding>& findings);

}  // namespace lockbench
