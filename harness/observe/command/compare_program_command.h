// SPDX-License-Identifier: Apache-2.0

// `lockbench compare-program`: runs a program with several locks in turn, and says which is faster.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/observe/command/substituted_lock.h"
#include "harness/observe/observation/expression.h"
#include "workloads/settings.h"

namespace lockbench {

struct CompareProgramOptions {
  std::vector<std::string> locks;  // the first is what the others are compared with
  Substitution with;               // but for the lock
  std::string metric = "wall";     // wall, cpu, or an expression for a number that is printed
  bool lower_is_better = false;    // of a printed number
  std::uint32_t blocks = 10;
  Nanoseconds time_limit{std::chrono::minutes(10)};  // of one run of the program
  std::optional<std::filesystem::path> out;
  std::vector<std::string> command;
};

int compare_program_command(const CompareProgramOptions& options, std::ostream& err);

namespace internal {

// The order of the locks in a block: each is first, second, … equally often.
std::vector<std::size_t> order_in_block(std::size_t locks, std::uint32_t block);

// The number that the expression finds in the text: its first group, or else all that it matches;
// the last match counts. InvalidArgument if nothing matches, or what does is no number.
absl::StatusOr<double> number_in(const std::string& text, const Expression& expression);

}  // namespace internal

}  // namespace lockbench
