// SPDX-License-Identifier: Apache-2.0

// The commands that Python scripts carry out: scripts/<name>.py. They parse their flags themselves.

#include <memory>
#include <string>
#include <vector>

#include "harness/cli/command.h"
#include "harness/process/analysis_command.h"
#include "harness/process/resources.h"

namespace lockbench {
namespace {

struct Script {
  const char* name;
  CommandGroup group;
  const char* summary;
  bool starts_lockbench = false;  // then it is told where this program is
};

constexpr Script kScripts[] = {
    {"plot", CommandGroup::kMeasure, "Draws the pictures of a run next to its CSV"},
    {"compare", CommandGroup::kMeasure,
     "Prints medians and ratios, within a run, between two, by machine"},
    {"report", CommandGroup::kMeasure,
     "Makes one page of one or more runs: which primitive to use, and why"},
    {"flamegraph", CommandGroup::kMeasure, "Draws where the processor time of a run's trial goes",
     true},
    {"regret", CommandGroup::kDecide,
     "Shows the cost of one primitive for all cells, on all machines"},
    {"gate", CommandGroup::kDecide, "Fails if a run is slower than a baseline, for CI"},
    {"ab", CommandGroup::kDecide, "Compares two versions of a lock, measured in turn", true},
};

class ScriptEntry final : public Command {
 public:
  explicit ScriptEntry(const Script& script)
      : Command({.name = script.name, .group = script.group, .summary = script.summary}),
        starts_lockbench_(script.starts_lockbench) {}

  bool parses_itself() const override { return true; }

  int run(const Invocation& invocation) override {
    std::vector<std::string> words = invocation.rest;
    if (starts_lockbench_) {
      words.insert(words.begin(), {"--program", this_program().string()});
    }
    return analysis_command(text().name, words);
  }

 private:
  const bool starts_lockbench_;
};

}  // namespace

void add_analysis_commands(Commands& all) {
  for (const Script& script : kScripts) all.push_back(std::make_unique<ScriptEntry>(script));
}

}  // namespace lockbench
