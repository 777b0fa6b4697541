// SPDX-License-Identifier: Apache-2.0

// The command `stress`.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/command.h"
#include "harness/stress/command/added_engine.h"
#include "harness/stress/command/plan.h"

namespace lockbench {

class StressEntry final : public CommandWithOptions<StressOptions> {
 public:
  StressEntry();
  // From now on there is this engine, with its flags.
  void add_engine(AddedEngine engine);

  void add_flags(CLI::App& stress) override;
  std::string complete(const CLI::App& stress, const Invocation& invocation) override;
  int run(const Invocation& invocation) override;

 private:
  std::vector<std::string> plugins_;
};

}  // namespace lockbench
