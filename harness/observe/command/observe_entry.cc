// SPDX-License-Identifier: Apache-2.0

// The command `observe`.

#include <charconv>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include <nlohmann/json.hpp>

#include "harness/base/quantity.h"
#include "harness/cli/command.h"
#include "harness/cli/flags.h"
#include "harness/observe/command/observe_command.h"
#include "harness/observe/command/observed_case.h"
#include "harness/observe/command/program_flags.h"

namespace lockbench {
namespace {

constexpr char kObserveFooter[] =
    "Runs a program unchanged and records what it does with the locks of the pthread library:\n"
    "mutexes, locks for readers and writers, spin locks, semaphores, waits for conditions; and "
    "its\n"
    "waits for locks that it makes of futexes. Locks are grouped by place, the code that first\n"
    "acquired them. The answer goes to standard error: whether locks are the program's problem,\n"
    "what of the program was seen, and the places by the time lost in waits. Without a record of\n"
    "what did the work there is no verdict, and the answer says what to do. The folder gets\n"
    "observed.json, and observed.toml, a preset that reproduces the first place.\n"
    "docs/observe.md says how to read them and what cannot be seen.\n"
    "\n"
    "Ctrl-C and other signals reach the program as they would alone. --duration ends the\n"
    "recording and not the program; `timeout 10s lockbench observe ...` ends both.\n"
    "\n"
    "Examples\n"
    "  lockbench observe -- pigz -k -p 4 big.tar\n"
    "  lockbench observe --out seen --delay 5s --duration 30s -- memcached -t 4\n"
    "  lockbench observe --repeat 5 -- ./benchmark\n"
    "  lockbench observe --place 'item_lock|assoc' -- memcached -t 4\n"
    "  lockbench observe --pid 4711 --duration 10s     a process that runs already, from outside\n"
    "  lockbench observe --check seen          whether the preset has the program's contention\n"
    "  lockbench advise --observed seen        which lock is best for this load\n"
    "\n"
    "Exit codes: the program's own, or 128 and the number of the signal that ended it; 1 the\n"
    "result could not be written, 2 bad input or a program that cannot be observed. With --check:\n"
    "0 its contention is the program's, 4 it is not.\n";

absl::StatusOr<std::uint32_t> parse_process(std::string_view text) {
  std::uint32_t process = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), process);
  if (error == std::errc() && end == text.data() + text.size() && process != 0) return process;
  return absl::InvalidArgumentError("'" + std::string(text) + "' is no number of a process");
}

std::string validate_attached(const ObserveOptions& options) {
  if (!options.command.empty()) return "--pid: watches a process that runs; leave out the program";
  if (options.check) return "--pid: --check measures a preset; give one of both";
  if (options.delay.count() != 0) return "--pid: the process runs already; leave out --delay";
  if (options.repeat != 1) return "--pid: the process runs already; leave out --repeat";
  return {};
}

class ObserveEntry final : public CommandWithOptions<ObserveOptions> {
 public:
  ObserveEntry()
      : CommandWithOptions({.name = "observe",
                            .group = CommandGroup::kProgram,
                            .summary = "Runs a program and records what it does with its locks",
                            .footer = kObserveFooter}) {}

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
        "Number of callers that make up a place [up to the first that is no wrapper of a lock]",
        options.callers);
    add_count(observe, "--repeat", {1, 1000},
              "Runs of the program, one after the other; the answer has the spread of their "
              "greatest gains, and the places are those of the run with the greatest one [1]",
              options.repeat);
    add_place_expression(observe,
                         "Keeps only places whose name matches, as `function file.c:120` [all]",
                         options.place);
    add_parsed(observe,
               {.names = "--pid",
                .type = "PID",
                .help = "Instead of starting a program: watches this process, which runs already, "
                        "from outside for --duration [10s]. Needs root and bpftrace"},
               parse_process, options.pid);
    add_folder(
        observe, "--check",
        "Instead of a program: measures the preset of this observation, and says whether its "
        "contention and its waits are those of the program",
        options.check);
  }

  std::string complete(const CLI::App&, const Invocation& invocation) override {
    options_.command = invocation.after_dashes;
    const ObserveOptions& options = options_;
    if (options.pid) return validate_attached(options);
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
  add_observed_case(all);
}

void describe_observe(nlohmann::json& adds) {
  adds["advise"]["cases"] = described_case_source();
}

}  // namespace lockbench
