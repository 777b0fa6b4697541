// SPDX-License-Identifier: Apache-2.0

#include "harness/cluster/nodes/node_answers.h"

#include <algorithm>
#include <map>
#include <utility>

#include "harness/base/printable.h"
#include "harness/base/quantity.h"

namespace lockbench {
namespace {

// The text that one node printed.
struct Printed {
  std::string out;
  std::string last_complaint;
  std::string code;  // empty: it has not ended
};

// A shell may print a greeting to standard output before the program's output.
std::string_view from_brace(std::string_view out) {
  const std::size_t begin = out.starts_with('{') ? 0 : out.find("\n{");
  return begin == std::string_view::npos ? std::string_view() : out.substr(begin);
}

std::string why_silent(const Printed& printed) {
  constexpr std::string_view kNoSuchProgram = "127";  // the shell's code for it
  const std::string hint = printed.code == kNoSuchProgram
                               ? "; install lockbench there, or name it with --node-program"
                               : "";
  if (!printed.last_complaint.empty()) return printable(printed.last_complaint) + hint;
  if (printed.code.empty() || printed.code == "-1") return "it did not end in time";
  return "it printed nothing and ended with exit code " + printable(printed.code) + hint;
}

NodeAnswer answer_of(const std::string& name, const Printed& printed) {
  NodeAnswer answer{.name = name, .report = {}, .trouble = {}};
  const std::string_view json = from_brace(printed.out);
  if (json.empty()) {
    answer.trouble = why_silent(printed);
    return answer;
  }
  absl::StatusOr<DoctorReport> report = parse_doctor_json(json);
  if (report.ok()) {
    answer.report = *std::move(report);
  } else {
    answer.trouble = printable(std::string(report.status().message())) +
                     "; it may be an older lockbench: install this one there";
  }
  return answer;
}

}  // namespace

std::vector<NodeAnswer> parse_answers(std::string_view text) {
  std::map<std::string, Printed, std::less<>> printed;
  std::vector<std::string> order;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t first = line.find('\t');
    const std::size_t second = line.find('\t', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view kind = line.substr(0, first);
    const std::string_view node = line.substr(first + 1, second - first - 1);
    const std::string_view rest = line.substr(second + 1);
    if (node.empty()) continue;
    const auto [found, fresh] = printed.try_emplace(std::string(node));
    if (fresh) order.emplace_back(node);
    if (kind == "out") found->second.out.append(rest).append("\n");
    if (kind == "end") found->second.code = rest;
    const bool blank = rest.find_first_not_of(" \t\r") == std::string_view::npos;
    if (kind == "err" && !blank) found->second.last_complaint = rest;
  }
  std::vector<NodeAnswer> answers;
  for (const std::string& node : order) answers.push_back(answer_of(node, printed.at(node)));
  return answers;
}

}  // namespace lockbench
