// SPDX-License-Identifier: Apache-2.0

// CoverageText: sentences for a report's remarks: which transitions of a net no trace took, and how
// many traces could not be checked.
#pragma once

#include <string>
#include <vector>

#include "harness/petri/net.h"
#include "harness/stress/conformance/trace_checker.h"

namespace lockbench::stress {

// Empty if every transition was taken and every trace was checked.
std::vector<std::string> coverage_text(const Net& net, const TraceChecker& checker);

}  // namespace lockbench::stress
