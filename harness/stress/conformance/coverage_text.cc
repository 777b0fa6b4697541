// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/conformance/coverage_text.h"

#include "harness/petri/story.h"

namespace lockbench::stress {

std::vector<std::string> coverage_text(const Net& net, const Coverage& coverage) {
  std::vector<std::string> text;
  if (!coverage.never_seen.empty())
    text.push_back("never seen: " + some_of(net, coverage.never_seen));
  if (!coverage.never_needed.empty()) {
    text.push_back("looks like others, and was never needed to explain what was seen: " +
                   some_of(net, coverage.never_needed));
  }
  return text;
}

}  // namespace lockbench::stress
