// SPDX-License-Identifier: Apache-2.0

// `lockbench compare-program`: runs a program with several locks in turn, and says which is faster.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "harness/observe/command/program_run.h"
#include "harness/observe/command/substituted_lock.h"
#include "workloads/settings.h"

namespace lockbench {

struct CompareProgramOptions {
  std::vector<std::string> locks;  // the first is what the others are compared with
  Substitution with;               // but for the lock
  ProgramMetric metric;
  std::uint32_t blocks = 10;
  Nanoseconds time_limit{std::chrono::minutes(10)};  // of one run of the program
  std::optional<std::filesystem::path> out;
  std::vector<std::string> command;
};

int compare_program_command(const CompareProgramOptions& options, std::ostream& err);

}  // namespace lockbench
