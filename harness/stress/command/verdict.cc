// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/command/verdict.h"

#include <iostream>
#include <string>

#include <absl/strings/str_cat.h>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/process/signals.h"

namespace lockbench {

int worst_exit(int a, int b) {
  constexpr int kMostSevereFirst[] = {kFound, kCouldNotFinish, kInconclusive, kSuccess};
  for (const int code : kMostSevereFirst) {
    if (a == code || b == code) return code;
  }
  return a;
}

int exit_code_of(const Answer& answer) {
  if (answer.engine_failed) return kCouldNotFinish;
  switch (answer.report.verdict) {
    case stress::Verdict::kClean:
      return kSuccess;
    case stress::Verdict::kFailed:
      return kFound;
    case stress::Verdict::kInconclusive:
      break;
  }
  return kInconclusive;
}

std::string position_text(const TestJob& job, std::size_t position, std::size_t jobs) {
  return absl::StrCat(job.lock.name, " by ", job.engine, ", ", position + 1, " of ", jobs);
}

std::optional<int> end_for(const Answer& answer, const std::string& where) {
  if (answer.interrupted) {
    say(std::cerr, "lockbench stress", "interrupted " + where);
    return kSignalExitBase + noted_signal();
  }
  if (!answer.misused.empty()) {
    return complain_of_usage(absl::InvalidArgumentError(answer.misused));
  }
  return std::nullopt;
}

int complain_of_usage(const absl::Status& status) {
  return complain(std::cerr, "lockbench stress", status, kBadInput);
}

}  // namespace lockbench
