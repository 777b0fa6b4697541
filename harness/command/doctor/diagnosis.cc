// SPDX-License-Identifier: Apache-2.0

#include "harness/command/doctor/diagnosis.h"

#include <algorithm>
#include <iterator>

#include "harness/command/doctor/checks.h"

namespace lockbench {

std::string_view to_text(Severity severity) {
  switch (severity) {
    case Severity::kFine:
      return "fine";
    case Severity::kNote:
      return "note";
    case Severity::kProblem:
      break;
  }
  return "problem";
}

std::vector<Finding> diagnose(const SystemFacts& facts) {
  std::vector<Finding> findings;
  for (const auto checks :
       {internal::speed_checks(), internal::interference_checks(), internal::resource_checks()}) {
    for (const internal::Check check : checks) {
      if (std::optional<Finding> finding = check(facts)) findings.push_back(*std::move(finding));
    }
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  return findings;
}

std::string problems_line(const SystemFacts& facts) {
  std::vector<Finding> problems = diagnose(facts);
  std::erase_if(problems, [](const Finding& f) { return f.severity != Severity::kProblem; });
  if (problems.empty()) return {};
  std::string line = std::to_string(problems.size()) +
                     (problems.size() == 1 ? " problem affects" : " problems affect") +
                     " measurements here: ";
  for (const Finding& finding : problems) line += finding.what + "; ";
  return line + "see lockbench doctor";
}

}  // namespace lockbench
