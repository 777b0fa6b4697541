// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/conformance/coverage_text.h"

#include "harness/petri/search_report.h"

namespace lockbench::stress {

std::vector<std::string> coverage_text(const Net& net, const TraceChecker& checker) {
  const Coverage coverage = checker.coverage();
  std::vector<std::string> text;
  if (!coverage.never_seen.empty())
    text.push_back("never seen: " + transitions_text(net, coverage.never_seen));
  if (!coverage.never_needed.empty()) {
    text.push_back("looks like others, and was never needed to explain what was seen: " +
                   transitions_text(net, coverage.never_needed));
  }
  if (checker.undecided() != 0) {
    text.push_back("not decided of " + std::to_string(checker.undecided()) +
                   " executions, in which more ways were open than are followed; fewer threads "
                   "leave fewer open");
  }
  return text;
}

}  // namespace lockbench::stress
