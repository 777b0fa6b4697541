// SPDX-License-Identifier: Apache-2.0

// `lockbench whatif`: what the holds of a program's locks are worth. The program runs again and
// again, each time with the holds of one place made longer by a known amount of work; how much
// longer the program takes says how much of its time they decide.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "harness/observe/command/program_run.h"
#include "workloads/settings.h"

namespace lockbench {

struct WhatIfOptions {
  ProgramMetric metric;
  std::string place;                  // an expression for names of places; empty: all
  std::uint32_t places = 3;           // at most so many are measured
  std::uint32_t longer_percent = 20;  // of the mean hold
  std::uint32_t blocks = 30;          // at most; fewer if all is known before
  Nanoseconds time_limit{std::chrono::minutes(10)};  // of one run of the program
  std::optional<std::filesystem::path> out;
  std::vector<std::string> command;
};

int whatif_command(const WhatIfOptions& options, std::ostream& err);

namespace internal {

// After which blocks it is asked whether enough is known: asking takes as long as a short program.
bool asks_after(std::uint32_t blocks);

}  // namespace internal

}  // namespace lockbench
