// SPDX-License-Identifier: Apache-2.0

#include "harness/command/stress_verdict.h"

#include <iostream>
#include <string>

namespace lockbench {

int worst_exit(int a, int b) {
  constexpr int kGravestFirst[] = {kConvicted, kFailed, kInconclusive, kUnfair, kClean};
  for (const int code : kGravestFirst) {
    if (a == code || b == code) return code;
  }
  return a;
}

int exit_code_of(const Answer& answer) {
  if (answer.engine_failed) return kFailed;
  switch (answer.report.verdict) {
    case stress::Verdict::kClean:
      return kClean;
    case stress::Verdict::kConvicted:
      return kConvicted;
    case stress::Verdict::kInconclusive:
      return kInconclusive;
    case stress::Verdict::kFairness:
      break;
  }
  return kUnfair;
}

int complain_of_usage(const absl::Status& status) {
  std::cerr << "lockbench stress: " << std::string(status.message()) << "\n";
  return kUsage;
}

}  // namespace lockbench
