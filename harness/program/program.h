// SPDX-License-Identifier: Apache-2.0

// The program: reads the command line, and runs the command, or the program that has it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "harness/cli/command.h"

namespace lockbench {

// The contents of a program.
struct Contents {
  // First come those of other programs, to which this one adds something.
  Commands commands;
  std::size_t extended = 0;  // the number of the first ones
  // Writes what it adds to commands of others, by their names; null: nothing.
  void (*describe)(nlohmann::json& adds) = nullptr;
  // The names of the programs beside `lockbench`, built or not.
  std::vector<std::string> others;
};

// The contents of this program. The source is made by lockbench_add_program().
Contents contents_of_program();

// `words`: all words of the command line; the first one is the program's name. Returns the exit
// code. The word --describe prints what the program has, for another program
// (harness/process/command_programs.h).
int run_program(const Contents& contents, const std::vector<std::string>& words);

}  // namespace lockbench
