// SPDX-License-Identifier: Apache-2.0

// The command `advise`.
#pragma once

#include <string>
#include <vector>

#include "harness/bench/command/advise/advise_command.h"
#include "harness/cli/command.h"

namespace lockbench {

class AdviseEntry final : public CommandWithOptions<AdviseOptions> {
 public:
  AdviseEntry();
  // From now on there is the flag --machine.
  void answer_for_machine_models(AnswersForMachineModels machine_models);

  void add_flags(CLI::App& advise) override;
  std::string complete(const CLI::App& advise, const Invocation& invocation) override;
  int run(const Invocation& invocation) override;

 private:
  std::vector<std::string> plugins_;
};

}  // namespace lockbench
