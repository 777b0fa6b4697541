// SPDX-License-Identifier: Apache-2.0

// ObservedRun: a program runs once, and is observed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/observe/observation/foreground_program.h"
#include "harness/observe/observation/observation.h"
#include "workloads/settings.h"

namespace lockbench {

struct ObservedRunOrder {
  std::vector<std::string> command;
  std::string preload;        // NAME=VALUE, with which the program loads the library
  Nanoseconds delay{0};       // skips the start of the program
  Nanoseconds duration{0};    // records that long; 0: to the end
  Nanoseconds time_limit{0};  // then all processes of the program are killed; 0: never
  std::uint32_t callers = 0;  // that make up a place; 0: up to the first that is no wrapper
  double uncontended_ns = 0;
  double processors = 1;
};

struct ObservedRun {
  Observation observation;
  ForegroundEnd end;
};

// Unavailable: there is no memory to record in. Internal: the program could not be started.
// DeadlineExceeded: it did not end within its time limit.
absl::StatusOr<ObservedRun> observe_run(const ObservedRunOrder& order);

}  // namespace lockbench
