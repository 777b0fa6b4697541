// SPDX-License-Identifier: Apache-2.0

// The commands of this folder: `run`, and those that it starts in child processes.

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/bench/command/run/described_plugins.h"
#include "harness/bench/command/run/plugins.h"
#include "harness/bench/command/run/run_entry.h"
#include "harness/bench/command/run/trial_command.h"
#include "harness/cli/flags.h"
#include "harness/kernel/processors.h"

namespace lockbench {
namespace {

constexpr char kTrialFooter[] =
    "meta.json of a run contains its trials, one on each line.\n"
    "\n"
    "Examples\n"
    "To measure the first one again:\n"
    "  grep -om1 '{\"number\":.*}}' RUN/meta.json | lockbench trial\n"
    "To draw where its time goes:\n"
    "  lockbench flamegraph RUN --primitive keyed\n";

absl::StatusOr<std::vector<int>> parse_placement(std::string_view text) {
  const std::optional<std::vector<int>> list = parse_processor_list(text);
  if (list) return *list;
  return absl::InvalidArgumentError("'" + std::string(text) +
                                    "' is no list of processors like 0,2,4-7");
}

absl::StatusOr<int> parse_processor(std::string_view text) {
  const std::optional<std::vector<int>> list = parse_processor_list(text);
  if (list && list->size() == 1) return list->front();
  return absl::InvalidArgumentError("'" + std::string(text) + "' is no processor's number");
}

class TrialEntry final : public CommandWithOptions<TrialOptions> {
 public:
  TrialEntry()
      : CommandWithOptions(
            {.name = "trial",
             .group = CommandGroup::kUpkeep,
             .summary = "Measures one trial: JSON in, JSON out (run starts one for each trial)",
             .footer = kTrialFooter}) {}

  void add_flags(CLI::App& trial) override {
    add_parsed(
        trial,
        {.names = "--parent", .type = "PID", .help = "Ends when this process, its parent, ends"},
        [](std::string_view text) { return parse_count(text, kProcessRange); }, options_.parent);
    add_parsed(trial,
               {.names = "--processors",
                .type = "LIST",
                .help = "Binds thread i to processor i of the list, as the process that starts "
                        "this one placed them; only for a trial that is pinned"},
               parse_placement, options_.placed.processors);
    add_parsed(trial,
               {.names = "--core-kinds",
                .type = "LIST",
                .help = "The rank of thread i's kind of core, from 0, the fastest: the sample then "
                        "compares the kinds"},
               parse_placement, options_.placed.ranks);
    add_parsed(
        trial,
        {.names = "--fast-processor",
         .type = "N",
         .help = "Measures there how fast work is done, which is then the same on all cores"},
        parse_processor, options_.placed.fast_processor);
    add_switch(trial, "--try", "Creates the primitive, and measures nothing", options_.only_try);
    add_path(trial,
             {.names = "--flamegraph",
              .type = "FILE.svg",
              .help = "Also draws where the processor time went; needs perf and Python"},
             options_.flamegraph);
    add_plugins(trial, plugins_);
  }

  std::string complete(const CLI::App&, const Invocation&) override {
    const TrialOptions& options = options_;
    if (!options.flamegraph) return {};
    if (options.only_try) return "--flamegraph: --try measures nothing; leave one of them out";
    if (options.flamegraph->extension() == ".svg") return {};
    return "--flamegraph: '" + options.flamegraph->string() + "' does not end in .svg";
  }

  int run(const Invocation&) override {
    return trial_command(options_, plugins_, std::cin, std::cout, std::cerr);
  }

 private:
  static constexpr CountRange kProcessRange{.least = 0, .most = 1'000'000'000};

  std::vector<std::string> plugins_;
};

class PluginEntry final : public Command {
 public:
  PluginEntry()
      : Command({.name = "plugin",
                 .group = CommandGroup::kHidden,
                 .summary = "Lists the contents of a plug-in as JSON (for other commands)"}) {}

  void add_flags(CLI::App& plugin) override {
    add_required_word(plugin, "file", "The plug-in's file", file_);
  }
  int run(const Invocation&) override { return plugin_command(file_, std::cout, std::cerr); }

 private:
  std::string file_;
};

}  // namespace

void add_run_commands(Commands& all) {
  offer_described_plugins();
  all.push_back(std::make_unique<RunEntry>());
  all.push_back(std::make_unique<TrialEntry>());
  all.push_back(std::make_unique<PluginEntry>());
}

}  // namespace lockbench
