// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/doctor/diagnosis.h"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "harness/bench/command/doctor/checks.h"
#include "harness/bench/plan/describe.h"

namespace lockbench {

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

std::uint32_t number_of(const std::vector<Finding>& findings, Severity severity) {
  return static_cast<std::uint32_t>(
      std::count_if(findings.begin(), findings.end(),
                    [severity](const Finding& f) { return f.severity == severity; }));
}

std::string problems_and_notes(const std::vector<Finding>& findings) {
  return counted(number_of(findings, Severity::kProblem), "problem") + ", " +
         counted(number_of(findings, Severity::kNote), "note");
}

std::string problems_line(const SystemFacts& facts) {
  std::vector<Finding> problems = diagnose(facts);
  std::erase_if(problems, [](const Finding& f) { return f.severity != Severity::kProblem; });
  if (problems.empty()) return {};
  std::string line = counted(problems.size(), "problem") +
                     (problems.size() == 1 ? " affects" : " affect") + " measurements here: ";
  for (const Finding& finding : problems) line += finding.what + "; ";
  return line + "see lockbench doctor";
}

namespace {

constexpr std::size_t kWidth = 96;
constexpr std::size_t kIndent = 17;  // of a block's text, after its labels

std::string padded(std::string_view label, std::size_t width) {
  std::string text(label);
  text.resize(std::max(width, text.size() + 1), ' ');
  return text;
}

// Breaks the text between words and indents the further lines to the start of the first one.
std::string wrapped(const std::string& text) {
  std::string lines;
  std::size_t column = kIndent;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (column > kIndent && column + 1 + word.size() > kWidth) {
      lines += '\n' + std::string(kIndent, ' ');
      column = kIndent;
    } else if (column > kIndent) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += word.size();
  }
  return lines;
}

}  // namespace

std::string finding_text(const Finding& finding) {
  std::string text = padded(name_of(kSeverities, finding.severity), 9) + finding.what + '\n';
  if (finding.severity == Severity::kFine) return text;
  text += padded("         effect", kIndent) + wrapped(finding.effect) + '\n';
  // A single line, so that a user can copy it.
  return text + padded("         fix", kIndent) + finding.fix + '\n';
}

std::string findings_text(const std::vector<Finding>& findings) {
  std::string text = problems_and_notes(findings) + ".\n";
  bool in_blocks = true;
  for (const Finding& finding : findings) {
    const bool block = finding.severity != Severity::kFine;
    if (block || in_blocks) text += '\n';
    in_blocks = block;
    text += finding_text(finding);
  }
  return text;
}

}  // namespace lockbench
