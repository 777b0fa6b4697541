// SPDX-License-Identifier: Apache-2.0

// The command `merge`.

#include <memory>
#include <string>

#include "harness/bench/merge/merge_command.h"
#include "harness/cli/command.h"
#include "harness/cli/flags.h"

namespace lockbench {
namespace {

constexpr char kFooter[] =
    "Makes one run from shards of one plan, measured with one build. If a trial occurs twice,\n"
    "because a shard was run again, it counts once: the valid rows, else the later ones. merge\n"
    "reports which rows count. The order of the folders does not matter, and merging a merged run\n"
    "again changes nothing. The result replaces an earlier one in one step.\n"
    "\n"
    "Examples\n"
    "  lockbench merge merged shards/1 shards/2 shards/3\n"
    "  lockbench merge merged shards --partial\n"
    "\n"
    "Exit codes: 0 merged, 1 the result could not be written, 2 the folders cannot be merged, or\n"
    "something is missing and --partial was not given.\n";

class MergeEntry final : public CommandWithOptions<MergeOptions> {
 public:
  MergeEntry()
      : CommandWithOptions({.name = "merge",
                            .group = CommandGroup::kMachines,
                            .summary = "Makes one run from the shards of a plan",
                            .footer = kFooter}) {}

  void add_flags(CLI::App& merge) override {
    MergeOptions& options = options_;
    add_words(merge, "folders",
              "The folder of the result, then the folders of shards, or a folder of them",
              options.folders);
    add_switch(merge, "--partial", "Merges incomplete shards, and reports what is missing",
               options.partial);
  }

  std::string complete(const CLI::App&, const Invocation& invocation) override {
    options_.program = invocation.program;
    const MergeOptions& options = options_;
    if (options.folders.size() >= 2) return {};
    return "wants the folder of the result, and after it the folders of shards, as `lockbench "
           "merge "
           "merged shards`; name the folders of shards";
  }

  int run(const Invocation&) override { return merge_command(options_); }
};

}  // namespace

void add_merge_commands(Commands& all) {
  all.push_back(std::make_unique<MergeEntry>());
}

}  // namespace lockbench
