// SPDX-License-Identifier: Apache-2.0

#include "harness/command/doctor/finding_text.h"

#include <algorithm>
#include <sstream>

#include <absl/strings/str_format.h>

namespace lockbench {
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

std::string summary(const std::vector<Finding>& findings) {
  const auto counted = [&findings](Severity severity, const char* noun) {
    const auto count =
        std::count_if(findings.begin(), findings.end(),
                      [severity](const Finding& f) { return f.severity == severity; });
    return absl::StrFormat("%d %s%s", count, noun, count == 1 ? "" : "s");
  };
  return counted(Severity::kProblem, "problem") + ", " + counted(Severity::kNote, "note") + ".\n";
}

}  // namespace

std::string finding_text(const Finding& finding) {
  std::string text = padded(to_text(finding.severity), 9) + finding.what + '\n';
  if (finding.severity == Severity::kFine) return text;
  text += padded("         effect", kIndent) + wrapped(finding.effect) + '\n';
  // A single line, so that a user can copy it.
  return text + padded("         fix", kIndent) + finding.fix + '\n';
}

std::string findings_text(const std::vector<Finding>& findings) {
  std::string text = summary(findings);
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
