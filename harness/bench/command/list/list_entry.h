// SPDX-License-Identifier: Apache-2.0

// The command `list`.
#pragma once

#include <string>
#include <vector>

#include "harness/bench/command/list/list_command.h"
#include "harness/bench/command/list/list_section.h"
#include "harness/cli/command.h"

namespace lockbench {

class ListEntry final : public CommandWithOptions<ListOptions> {
 public:
  ListEntry();
  // Without one, the sections are those that other programs describe.
  void add_section(ListSection section) { sections_.push_back(std::move(section)); }

  void add_flags(CLI::App& list) override;
  int run(const Invocation& invocation) override;

 private:
  std::vector<ListSection> sections_;
  std::vector<std::string> plugins_;
};

}  // namespace lockbench
