// SPDX-License-Identifier: Apache-2.0

// The output of `lockbench stress`, as pure functions.
//
// StressLive: one line on a terminal, which is updated while an engine runs. It prints nothing
// elsewhere.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "harness/stress/command/plan.h"
#include "harness/stress/report.h"

namespace lockbench {

// A report for users: one line if there is no failure; otherwise the failure, how it occurred, and
// the command that reproduces it. `machine` is one line about machine and build.
std::string stress_text(const stress::Report& report, const std::string& machine);

// The command that reproduces a failure.
std::string replay_command(const stress::Report& report);

// "3/12  real  keyed  57 epochs  0 failures", from the engine's output so far. Pure.
std::string live_line(const TestJob& job, std::size_t position, std::size_t jobs,
                      std::size_t failures, std::string_view out);

class StressLive {
 public:
  explicit StressLive(std::size_t jobs);

  void show(const TestJob& job, std::size_t position, std::string_view out) const;
  void leave() const;  // clears the line

  std::size_t failures = 0;

 private:
  const bool terminal_;
  const std::size_t jobs_;
};

}  // namespace lockbench
