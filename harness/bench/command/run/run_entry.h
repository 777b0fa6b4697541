// SPDX-License-Identifier: Apache-2.0

// The command `run`.
#pragma once

#include <string>
#include <vector>

#include "harness/bench/command/run/run_command.h"
#include "harness/cli/command.h"

namespace lockbench {

class RunEntry final : public CommandWithOptions<RunOptions> {
 public:
  RunEntry();
  void add_flags(CLI::App& run) override;
  std::string complete(const CLI::App& run, const Invocation& invocation) override;
  int run(const Invocation& invocation) override;

 private:
  std::vector<std::string> plugins_;
};

}  // namespace lockbench
