// SPDX-License-Identifier: Apache-2.0

// The command `observe`.

#include <memory>
#include <string>

#include "harness/cli/command.h"
#include "harness/cli/flags.h"
#include "harness/cli/program_flags.h"
#include "harness/command/observe/observe_command.h"
#include "harness/plan/quantity.h"

namespace lockbench {
namespace {

constexpr char kFooter[] =
    "Runs a program unchanged and records what it does with the locks of the pthread library:\n"
    "mutexes, locks for readers and writers, spin locks, semaphores, waits for conditions. Locks\n"
    "are grouped by place, the call that first acquired them. The answer goes to standard error:\n"
    "whether locks are the program's problem, and the places by the time lost in waits. The "
    "folder\n"
    "gets observed.json, and observed.toml, a preset that reproduces the first place.\n"
    "docs/observe.md says how to read them and what cannot be seen.\n"
    "\n"
    "Ctrl-C and other signals reach the program as they would alone. --duration ends the\n"
    "recording and not the program; `timeout 10s lockbench observe ...` ends both.\n"
    "\n"
    "Examples\n"
    "  lockbench observe -- pigz -k -p 4 big.tar\n"
    "  lockbench observe --out seen --delay 5s --duration 30s -- memcached -t 4\n"
    "  lockbench observe --place 'item_lock|assoc' -- memcached -t 4\n"
    "  lockbench observe --check seen          whether the preset has the program's contention\n"
    "  lockbench advise --observed seen        which lock is best for this load\n"
    "\n"
    "Exit codes: the program's own, or 128 and the number of the signal that ended it; 1 the\n"
    "result could not be written, 2 bad input or a program that cannot be observed. With --check:\n"
    "0 its contention is the program's, 4 it is not.\n";

class ObserveEntry final : public CommandWithOptions<ObserveOptions> {
 public:
  ObserveEntry()
      : CommandWithOptions({.name = "observe",
                            .group = CommandGroup::kProgram,
                            .summary = "Runs a program and records what it does with its locks",
                            .footer = kFooter}) {}

  bool takes_words_after_dashes() const override { return true; }

  void add_flags(CLI::App& observe) override {
    ObserveOptions& options = options_;
    add_folder(observe, "--out", "Folder for the result [results/observed/<time>-<program>-<id>]",
               options.out);
    add_parsed(observe,
               {.names = "--delay",
                .type = "TIME",
                .help = "Records nothing for this long at the start [0]"},
               parse_duration, options.delay);
    add_parsed(
        observe,
        {.names = "--duration", .type = "TIME", .help = "Records for this long [to the end]"},
        parse_duration, options.duration);
    add_count(
        observe, "--callers", {1, kMostCallers},
        "Number of callers that make up a place, for programs whose locks are all acquired in "
        "one function of theirs [1]",
        options.callers);
    add_place_expression(observe,
                         "Keeps only places whose name matches, as `function file.c:120` [all]",
                         options.place);
    add_folder(
        observe, "--check",
        "Instead of a program: measures the preset of this observation, and says whether its "
        "contention and its waits are those of the program",
        options.check);
  }

  std::string complete(const CLI::App&, const Invocation& invocation) override {
    options_.command = invocation.after_dashes;
    const ObserveOptions& options = options_;
    if (options.check) {
      return options.command.empty() ? std::string()
                                     : "--check: measures a preset; leave out the program";
    }
    if (!options.command.empty()) return {};
    return std::string(kNoProgram) + "lockbench observe -- ./server --port 80`";
  }

  int run(const Invocation&) override { return observe_command(options_, std::cerr); }
};

}  // namespace

void add_observe_commands(Commands& all) {
  all.push_back(std::make_unique<ObserveEntry>());
}

}  // namespace lockbench
