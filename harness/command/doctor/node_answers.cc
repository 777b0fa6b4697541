// SPDX-License-Identifier: Apache-2.0

#include "harness/command/doctor/node_answers.h"

#include <algorithm>
#include <map>
#include <utility>

#include <absl/strings/str_format.h>

#include "harness/base/printable.h"
#include "harness/base/quantity.h"
#include "harness/record/machine_json.h"

namespace lockbench {

namespace {

// The same members as in the JSON: a finding that is fine has no effect and no fix.
struct FindingRecord {
  Severity severity = Severity::kFine;
  std::string name;
  std::string what;
  std::optional<std::string> effect;
  std::optional<std::string> fix;
};

template <EitherConst<FindingRecord> T, class Visit>
void json_fields(T& finding, Visit&& visit) {
  visit("severity", finding.severity, kSeverities);
  visit("name", finding.name);
  visit("what", finding.what);
  visit("effect", finding.effect);
  visit("fix", finding.fix);
}

struct ReportRecord {
  Machine machine;
  Build build;
  std::uint32_t problems = 0;
  std::uint32_t notes = 0;
  std::vector<FindingRecord> findings;
};

template <EitherConst<ReportRecord> T, class Visit>
void json_fields(T& report, Visit&& visit) {
  visit("machine", report.machine);
  visit("build", report.build);
  visit("problems", report.problems);
  visit("notes", report.notes);
  visit("findings", report.findings);
}

// What one node printed.
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

std::string doctor_json(const DoctorReport& report) {
  ReportRecord record{.machine = report.machine,
                      .build = report.build,
                      .problems = number_of(report.findings, Severity::kProblem),
                      .notes = number_of(report.findings, Severity::kNote),
                      .findings = {}};
  const auto unless_empty = [](const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
  };
  for (const Finding& one : report.findings) {
    record.findings.push_back({.severity = one.severity,
                               .name = one.name,
                               .what = one.what,
                               .effect = unless_empty(one.effect),
                               .fix = unless_empty(one.fix)});
  }
  return internal::text_of(internal::json_of(record), 2) + '\n';
}

absl::StatusOr<DoctorReport> parse_doctor_json(std::string_view text) {
  const absl::StatusOr<internal::json> object = internal::parse_json(text, "its answer");
  if (!object.ok()) return object.status();
  absl::StatusOr<ReportRecord> record = internal::read_record<ReportRecord>(*object, "its answer");
  if (!record.ok()) return record.status();
  DoctorReport report{
      .machine = std::move(record->machine), .build = std::move(record->build), .findings = {}};
  for (FindingRecord& one : record->findings) {
    report.findings.push_back({.severity = one.severity,
                               .name = std::move(one.name),
                               .what = std::move(one.what),
                               .effect = std::move(one.effect).value_or(""),
                               .fix = std::move(one.fix).value_or("")});
  }
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  return report;
}

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
