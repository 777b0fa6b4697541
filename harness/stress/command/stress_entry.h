// SPDX-License-Identifier: Apache-2.0

// The command `stress`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/cli/command.h"
#include "harness/stress/command/added_engine.h"
#include "harness/stress/command/plan.h"

namespace lockbench {

class StressEntry final : public CommandWithOptions<StressOptions> {
 public:
  StressEntry();
  void add_flags(CLI::App& stress) override;
  std::string complete(const CLI::App& stress, const Invocation& invocation) override;
  int run(const Invocation& invocation) override;

 private:
  std::vector<std::string> plugins_;
  std::map<std::string, std::string> flags_of_engines_;
};

}  // namespace lockbench
