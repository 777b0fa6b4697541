// SPDX-License-Identifier: Apache-2.0

// CoverageText: which transitions of a net no trace took, and which traces could not be checked, as
// sentences for a report's remarks.
#pragma once

#include <string>
#include <vector>

#include "harness/petri/net.h"
#include "harness/stress/conformance/trace_checker.h"

namespace lockbench::stress {

// None where all was seen and checked.
std::vector<std::string> coverage_text(const Net& net, const TraceChecker& checker);

}  // namespace lockbench::stress
