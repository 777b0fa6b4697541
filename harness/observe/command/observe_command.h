// SPDX-License-Identifier: Apache-2.0

// `lockbench observe`: runs a program unchanged and records what it does with its locks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "workloads/settings.h"

namespace lockbench {

inline constexpr std::uint32_t kMostCallers = 8;
inline constexpr Nanoseconds kAttachedFor{std::chrono::seconds(10)};

struct ObserveOptions {
  std::vector<std::string> command;  // the program and its arguments
  std::optional<std::filesystem::path> out;
  Nanoseconds delay{0};       // skips the start of the program
  Nanoseconds duration{0};    // records that long; 0: to the end
  std::uint32_t callers = 0;  // that make up a place; 0: up to the first that is no wrapper
  std::uint32_t repeat = 1;   // runs of the program
  std::string place;          // a regular expression; empty: all places
  // Instead of a program: a process that runs already, for `duration`, or else kAttachedFor.
  std::optional<std::uint32_t> pid;
  // Instead of a program: whether the preset of this observation has the program's contention.
  std::optional<std::filesystem::path> check;
};

// Returns the program's exit code, or 128 and its signal; of a check, 0 or kInconclusive; else
// kBadInput or kCouldNotFinish. What
// it prints goes to `err`, because standard output is the program's.
int observe_command(const ObserveOptions& options, std::ostream& err);

}  // namespace lockbench
