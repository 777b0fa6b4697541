// SPDX-License-Identifier: Apache-2.0

#include "harness/command/doctor/doctor_command.h"

#include <algorithm>
#include <ostream>
#include <sstream>

#include <absl/strings/str_format.h>
#include <nlohmann/json.hpp>

#include "harness/record/build.h"
#include "harness/record/machine.h"
#include "harness/terminal/exit_code.h"

namespace lockbench {
namespace {

constexpr std::size_t kWidth = 96;
constexpr std::size_t kIndent = 17;  // of a block's text, after its labels

std::size_t number_of(const std::vector<Finding>& findings, Severity severity) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [severity](const Finding& f) { return f.severity == severity; }));
}

std::string padded(std::string_view label, std::size_t width) {
  std::string text(label);
  text.resize(std::max(width, text.size() + 1), ' ');
  return text;
}

// Broken between words, each further line below the first one's text.
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
  const auto counted = [](std::size_t count, const char* noun) {
    return absl::StrFormat("%d %s%s", count, noun, count == 1 ? "" : "s");
  };
  return counted(number_of(findings, Severity::kProblem), "problem") + ", " +
         counted(number_of(findings, Severity::kNote), "note") + ".\n";
}

}  // namespace

std::string findings_text(const std::vector<Finding>& findings) {
  std::string text = summary(findings);
  bool in_blocks = true;
  for (const Finding& finding : findings) {
    const bool block = finding.severity != Severity::kFine;
    if (block || in_blocks) text += '\n';
    in_blocks = block;
    text += padded(to_text(finding.severity), 9) + finding.what + '\n';
    if (!block) continue;
    text += padded("         effect", kIndent) + wrapped(finding.effect) + '\n';
    // In one line, so that it can be copied.
    text += padded("         fix", kIndent) + finding.fix + '\n';
  }
  return text;
}

std::string findings_json(const std::vector<Finding>& findings) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const Finding& finding : findings) {
    Json object{
        {"severity", to_text(finding.severity)}, {"name", finding.name}, {"what", finding.what}};
    if (!finding.effect.empty()) object["effect"] = finding.effect;
    if (!finding.fix.empty()) object["fix"] = finding.fix;
    list.push_back(std::move(object));
  }
  const Json whole{{"problems", number_of(findings, Severity::kProblem)},
                   {"notes", number_of(findings, Severity::kNote)},
                   {"findings", std::move(list)}};
  // The names of folders are bytes, not always UTF-8.
  return whole.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

int doctor_command(DoctorFormat format, std::ostream& out) {
  const std::vector<Finding> findings =
      diagnose(read_system_facts(read_machine(), this_build(), "results/runs"));
  out << (format == DoctorFormat::kJson ? findings_json(findings) : findings_text(findings));
  return number_of(findings, Severity::kProblem) == 0 ? kSuccess : kFound;
}

}  // namespace lockbench
