// SPDX-License-Identifier: Apache-2.0

// The answer of `lockbench observe` for a terminal: whether locks are a problem, then the places.
#pragma once

#include <string>

#include "harness/command/observe/observation.h"

namespace lockbench {

// If the program could gain less than this share of its time, its locks are not its problem.
inline constexpr double kProblemFrom = 0.05;

using TableRow = std::vector<std::string>;

// Aligned columns: the first to the left, the others to the right. The rows have one length.
std::string table_text(const std::vector<TableRow>& rows);

// Whether the locks of the process are its problem, a sentence.
std::string answer_text(const ObservedProcess& process);

// Why nothing was recorded, if nothing was; else the answer and a table, with line ends.
std::string observed_text(const Observation& observation, const std::string& program);

// `123 ns`, `4.56 µs`: three digits.
std::string duration_text(double ns);

}  // namespace lockbench
