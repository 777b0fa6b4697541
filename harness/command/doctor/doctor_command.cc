// SPDX-License-Identifier: Apache-2.0

#include "harness/command/doctor/doctor_command.h"

#include <algorithm>
#include <ostream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "harness/record/build.h"
#include "harness/record/machine.h"
#include "harness/terminal/exit_code.h"

namespace lockbench {
namespace {

constexpr std::size_t kWidth = 96;
constexpr std::size_t kIndent = 14;  // of a block's text, behind its labels

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
  const std::size_t spoilers = number_of(findings, Severity::kSpoils);
  const std::size_t notes = number_of(findings, Severity::kNote);
  std::string text = spoilers == 0   ? "Nothing here spoils"
                     : spoilers == 1 ? "1 thing here spoils"
                                     : std::to_string(spoilers) + " things here spoil";
  text += " measurements";
  if (notes != 0) text += ", " + std::to_string(notes) + (notes == 1 ? " is" : " are") + " to know";
  return text + ".\n";
}

}  // namespace

std::string findings_text(const std::vector<Finding>& findings) {
  std::string text = summary(findings);
  bool in_blocks = true;
  for (const Finding& finding : findings) {
    const bool block = finding.severity != Severity::kFine;
    if (block || in_blocks) text += '\n';
    in_blocks = block;
    text += padded(to_text(finding.severity), 8) + finding.what + '\n';
    if (!block) continue;
    text += padded("        how", kIndent) + wrapped(finding.how) + '\n';
    // Whole, however long: it is to be copied.
    text += padded("        mend", kIndent) + finding.mend + '\n';
  }
  return text;
}

std::string findings_json(const std::vector<Finding>& findings) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const Finding& finding : findings) {
    Json object{
        {"severity", to_text(finding.severity)}, {"name", finding.name}, {"what", finding.what}};
    if (!finding.how.empty()) object["how"] = finding.how;
    if (!finding.mend.empty()) object["mend"] = finding.mend;
    list.push_back(std::move(object));
  }
  const Json whole{{"spoils", number_of(findings, Severity::kSpoils)},
                   {"notes", number_of(findings, Severity::kNote)},
                   {"findings", std::move(list)}};
  // The names of folders are bytes, not always UTF-8.
  return whole.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

int doctor_command(DoctorFormat format, std::ostream& out) {
  const std::vector<Finding> findings =
      diagnose(read_system_facts(read_machine(), this_build(), "results/runs"));
  out << (format == DoctorFormat::kJson ? findings_json(findings) : findings_text(findings));
  return number_of(findings, Severity::kSpoils) == 0 ? kSuccess : kFound;
}

}  // namespace lockbench
