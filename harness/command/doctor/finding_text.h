// SPDX-License-Identifier: Apache-2.0

// FindingText: findings as text for users.
#pragma once

#include <string>
#include <vector>

#include "harness/command/doctor/diagnosis.h"

namespace lockbench {

// A block for a problem or a note; a line for what is fine.
std::string finding_text(const Finding& finding);

// A summary, a block for each problem and note in the order given, and a line for the rest.
std::string findings_text(const std::vector<Finding>& findings);

}  // namespace lockbench
