// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/doctor/doctor_command.h"

#include <algorithm>
#include <ostream>

#include "harness/base/exit_code.h"
#include "harness/bench/command/doctor/diagnosis.h"
#include "harness/bench/command/doctor/doctor_report.h"
#include "harness/bench/command/doctor/system_facts.h"

namespace lockbench {

int doctor_command(bool json, std::ostream& out) {
  DoctorReport report{.machine = read_machine(), .build = this_build(), .findings = {}};
  report.findings = diagnose(read_system_facts(report.machine, report.build, "results/runs"));
  out << (json ? doctor_json(report) : findings_text(report.findings));
  const bool problem =
      std::any_of(report.findings.begin(), report.findings.end(),
                  [](const Finding& finding) { return finding.severity == Severity::kProblem; });
  return problem ? kFound : kSuccess;
}

}  // namespace lockbench
