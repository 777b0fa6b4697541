// SPDX-License-Identifier: Apache-2.0

// CoverageText: which transitions of a net no trace took, as sentences for a report's remarks.
#pragma once

#include <string>
#include <vector>

#include "harness/petri/net.h"
#include "harness/stress/conformance/judge.h"

namespace lockbench::stress {

// None where all was seen.
std::vector<std::string> coverage_text(const Net& net, const Coverage& coverage);

}  // namespace lockbench::stress
