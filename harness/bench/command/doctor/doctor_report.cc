// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/doctor/doctor_report.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "harness/bench/record/machine_json.h"

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

}  // namespace lockbench
