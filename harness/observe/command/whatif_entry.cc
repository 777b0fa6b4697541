// SPDX-License-Identifier: Apache-2.0

// The command `whatif`.

#include <iostream>
#include <memory>
#include <string>

#include "harness/cli/command.h"
#include "harness/cli/flags.h"
#include "harness/observe/command/program_flags.h"
#include "harness/observe/command/whatif_command.h"
#include "harness/observe/recorder/recording.h"

namespace lockbench {
namespace {

constexpr char kWhatIfFooter[] =
    "The lock with the most waits need not be the one that matters: a thread that waits costs\n"
    "nothing while others do what the program's end depends on. whatif runs the program once to\n"
    "see its locks, and then in blocks: as it is, and with the holds of each place looking "
    "shorter,\n"
    "since all other threads pause meanwhile, and the pauses are left out of the time. Where more\n"
    "threads run than there are processors, or with --metric, the holds are longer instead, which\n"
    "says what shorter ones gain at most. It stops when more runs would tell little: that is "
    "known\n"
    "from them to 1 % of the time or a fifth of the gain, to which the interval adds a quarter, "
    "the\n"
    "method's own error.\n"
    "The metric is that of compare-program: a server is measured by what its load prints.\n"
    "The program's input is empty, and its output is not shown.\n"
    "\n"
    "whatif answers what another design gives: shorter holds, more locks. compare-program answers\n"
    "what another lock gives.\n"
    "\n"
    "Examples\n"
    "  lockbench whatif -- pigz -k -f -p 4 big.tar\n"
    "  lockbench whatif --metric 'TPS: ([0-9.]+)' -- ./benchmark --seconds 5\n"
    "  lockbench whatif --place 'Cache::get' --longer 50 -- ./server --requests 100000\n"
    "\n"
    "Exit codes: 0 answered, 1 a run of the program failed, 2 bad input or nothing matches the\n"
    "metric, 4 not all is known after --blocks, 129, 130 or 143 interrupted. What is known is\n"
    "printed in each case.\n";

class WhatIfEntry final : public CommandWithOptions<WhatIfOptions> {
 public:
  WhatIfEntry()
      : CommandWithOptions({.name = "whatif",
                            .group = CommandGroup::kProgram,
                            .summary = "Finds what shorter holds of a program's locks would gain",
                            .footer = kWhatIfFooter}) {}

  bool takes_words_after_dashes() const override { return true; }

  void add_flags(CLI::App& whatif) override {
    WhatIfOptions& options = options_;
    add_metric(whatif, options.metric);
    add_place_expression(whatif, "Measures only places whose name matches [all]", options.place);
    add_count(whatif, "--places", {1, observe::Header::kChangedPlaces},
              "Measures at most so many: the one with the longest waits, and those with the most "
              "time in holds [3]",
              options.places);
    add_count(whatif, "--longer", {1, 1000},
              "Percent of the mean hold by which holds look shorter, or get longer. More is known "
              "sooner, and is less like the program [20]",
              options.longer_percent);
    add_count(whatif, "--blocks", {3, 10'000},
              "Ends after so many blocks if it is not known before [30]", options.blocks);
    add_time_limit(whatif, options.time_limit);
    add_folder(whatif, "--out", "Folder for the result [results/whatif/<time>-<program>-<id>]",
               options.out);
  }

  std::string complete(const CLI::App&, const Invocation& invocation) override {
    options_.command = invocation.after_dashes;
    const std::string metric = validate_metric(options_.metric);
    if (!metric.empty()) return metric;
    if (!options_.command.empty()) return {};
    return std::string(kNoProgram) + "lockbench whatif -- ./benchmark`";
  }

  int run(const Invocation&) override { return whatif_command(options_, std::cerr); }
};

}  // namespace

void add_whatif_command(Commands& all) {
  all.push_back(std::make_unique<WhatIfEntry>());
}

}  // namespace lockbench
