// SPDX-License-Identifier: Apache-2.0

// ProgramRun: a person's program runs once, and what it is measured by is known: the time that
// passed, the processor time, or a number that it printed.
#pragma once

#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/observe/observation/expression.h"
#include "workloads/settings.h"

namespace CLI {
class App;
}  // namespace CLI

namespace lockbench {

struct ProgramMetric {
  std::string text = "wall";     // wall, cpu, or an expression for a number that is printed
  bool lower_is_better = false;  // of a printed number

  bool is_printed() const { return text != "wall" && text != "cpu"; }
  // Its flags for the analysis in Python.
  std::vector<std::string> words() const;
};

// --metric and --lower-is-better.
void add_metric(CLI::App& command, ProgramMetric& metric);

// Empty, or what is wrong with the flags.
std::string validate_metric(const ProgramMetric& metric);

// --time-limit, which is more than 0.
void add_time_limit(CLI::App& command, Nanoseconds& time_limit);

struct ProgramRunOrder {
  std::vector<std::string> command;
  std::vector<std::string> environment;  // NAME=VALUE, in addition to this process's own
  Nanoseconds time_limit{};              // a run that takes longer has failed
  ProgramMetric metric;
  std::string who;  // of messages, as `./server with adaptive`
};

struct ProgramRun {
  double wall_s = 0;
  double cpu_s = 0;     // of the program and all its processes
  std::string printed;  // the number; empty if none was asked for

  // As fields of a row: `1.5,2.9,`.
  std::string fields() const;
};

// The program's input is empty, and its output is not shown. Internal: it failed, or did not end in
// time. InvalidArgument: it printed no such number.
absl::StatusOr<ProgramRun> run_program(const ProgramRunOrder& order);

namespace internal {

// The number that the expression finds in the text: its first group, or else all that it matches;
// the last match counts. InvalidArgument if nothing matches, or what does is no number.
absl::StatusOr<double> number_in(const std::string& text, const Expression& expression);

// The order of `count` variants in a block: each is first, second, … equally often.
std::vector<std::size_t> order_in_block(std::size_t count, std::uint32_t block);

}  // namespace internal

}  // namespace lockbench
