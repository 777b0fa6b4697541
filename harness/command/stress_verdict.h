// SPDX-License-Identifier: Apache-2.0

// StressVerdict: how `lockbench stress` ends.
#pragma once

#include <absl/status/status.h>

#include "harness/command/stress_engines.h"

namespace lockbench {

enum StressExit {
  kClean = 0,
  kUsage = 1,
  kConvicted = 2,
  kFailed = 3,
  kInconclusive = 4,
  kUnfair = 5
};

// The graver one. Pure.
int worst_exit(int a, int b);

// Pure.
int exit_code_of(const Answer& answer);

// Says on standard error what the user got wrong, in one line; returns kUsage.
int complain_of_usage(const absl::Status& status);

}  // namespace lockbench
