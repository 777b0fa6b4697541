// SPDX-License-Identifier: Apache-2.0

// The commands `substitute` and `compare-program`.

#include <iostream>
#include <memory>
#include <set>
#include <string>

#include "harness/cli/command.h"
#include "harness/cli/flags.h"
#include "harness/observe/command/compare_program_command.h"
#include "harness/observe/command/program_flags.h"
#include "harness/observe/command/program_run.h"
#include "harness/observe/command/substitute_command.h"

namespace lockbench {
namespace {

constexpr char kSubstituteFooter[] =
    "Runs a program with its pthread mutexes replaced by a base lock. Condition variables, timed,\n"
    "recursive and error-checking mutexes work; mutexes that are robust or shared between\n"
    "processes stay the C library's. The lock `std` is the unchanged program. --place replaces\n"
    "those mutexes only that are first acquired there. docs/observe.md lists the limits.\n"
    "\n"
    "tbb_rw, tbb_spin_rw and absl_shared replace its locks for readers and writers instead: "
    "readers\n"
    "hold them together, and may lock again. rwlock_adaptive does, too, but is a mutex: a program\n"
    "in which a reader waits for another one stands still with it.\n"
    "\n"
    "Examples\n"
    "  lockbench substitute --lock adaptive -- pigz -k -p 4 big.tar\n"
    "  lockbench substitute --lock tbb_spin -- ./server\n"
    "  lockbench substitute --lock adaptive --observed seen --place 'Cache::get' -- ./server\n"
    "\n"
    "Exit codes: the program's own; 2 bad input or a program that loads no library.\n";

void add_places(CLI::App& command, Substitution& with) {
  add_folder(command, "--observed", "The folder that `lockbench observe` wrote, for --place",
             with.observed);
  add_place_expression(command,
                       "Replaces only locks of the places of --observed whose name matches [all]",
                       with.place);
}

std::string validate_places(const Substitution& with) {
  if (with.observed.has_value() == !with.place.empty()) return {};
  return with.observed ? "--observed: is for --place; say which, as --place 'Cache::get'"
                       : "--place: names places of an observation; say --observed DIR";
}

class SubstituteEntry final : public CommandWithOptions<SubstituteOptions> {
 public:
  SubstituteEntry()
      : CommandWithOptions({.name = "substitute",
                            .group = CommandGroup::kProgram,
                            .summary = "Runs a program with another lock as its mutexes or rwlocks",
                            .footer = kSubstituteFooter}) {}

  bool takes_words_after_dashes() const override { return true; }

  void add_flags(CLI::App& substitute) override {
    SubstituteOptions& options = options_;
    add_text(
        substitute,
        {.names = "--lock",
         .type = "LOCK",
         .help = "For mutexes: std, adaptive, futex, tbb, tbb_spin or absl; for rwlocks: tbb_rw, "
                 "tbb_spin_rw, absl_shared or rwlock_adaptive"},
        options.with.lock);
    add_places(substitute, options.with);
  }

  std::string complete(const CLI::App&, const Invocation& invocation) override {
    options_.command = invocation.after_dashes;
    const SubstituteOptions& options = options_;
    if (options.with.lock.empty()) return "--lock: not given; name a lock, as --lock adaptive";
    const std::string places = validate_places(options.with);
    if (!places.empty()) return places;
    if (!options.command.empty()) return {};
    return std::string(kNoProgram) + "lockbench substitute --lock adaptive -- ./server`";
  }

  int run(const Invocation&) override { return substitute_command(options_, std::cerr); }
};

constexpr char kCompareFooter[] =
    "Runs a program with each lock in turn, in blocks, and compares the others with the first:\n"
    "the verdicts are those of `compare`. The metric is the time that passes (wall), the "
    "processor\n"
    "time (cpu), or a number that the program prints: the first group of an expression, or all\n"
    "that it matches. More of such a number is faster, unless --lower-is-better says otherwise.\n"
    "The program's input is empty, and its output is not shown.\n"
    "\n"
    "Examples\n"
    "  lockbench compare-program --lock std --lock adaptive -- pigz -k -f -p 4 big.tar\n"
    "  lockbench compare-program --lock std --lock futex --metric 'TPS: ([0-9.]+)' \\\n"
    "                            --blocks 20 -- ./benchmark --seconds 5\n"
    "\n"
    "Exit codes: 0 compared, 1 a run of the program failed, 2 bad input or nothing matches the\n"
    "metric, 129, 130 or 143 interrupted.\n";

class CompareProgramEntry final : public CommandWithOptions<CompareProgramOptions> {
 public:
  CompareProgramEntry()
      : CommandWithOptions({.name = "compare-program",
                            .group = CommandGroup::kProgram,
                            .summary = "Compares locks in a program that is run with each",
                            .footer = kCompareFooter}) {}

  bool takes_words_after_dashes() const override { return true; }

  void add_flags(CLI::App& compare) override {
    CompareProgramOptions& options = options_;
    add_texts(compare,
              {.names = "--lock",
               .type = "LOCK",
               .help = "As of substitute; the first is what the others are compared with"},
              options.locks);
    add_places(compare, options.with);
    add_metric(compare, options.metric);
    add_count(compare, "--blocks", {3, 10'000}, "Runs of the program with each lock [10]",
              options.blocks);
    add_time_limit(compare, options.time_limit);
    add_folder(compare, "--out", "Folder for the rows [results/programs/<time>-<program>-<id>]",
               options.out);
  }

  std::string complete(const CLI::App&, const Invocation& invocation) override {
    options_.command = invocation.after_dashes;
    const CompareProgramOptions& options = options_;
    const std::set<std::string> different(options.locks.begin(), options.locks.end());
    if (different.size() < 2 || different.size() != options.locks.size()) {
      return "--lock: name two locks or more, each once, as --lock std --lock adaptive";
    }
    const std::string places = validate_places(options.with);
    if (!places.empty()) return places;
    const std::string metric = validate_metric(options.metric);
    if (!metric.empty()) return metric;
    if (!options.command.empty()) return {};
    return std::string(kNoProgram) +
           "lockbench compare-program --lock std --lock adaptive -- ./benchmark`";
  }

  int run(const Invocation&) override { return compare_program_command(options_, std::cerr); }
};

}  // namespace

void add_substitute_commands(Commands& all) {
  all.push_back(std::make_unique<SubstituteEntry>());
  all.push_back(std::make_unique<CompareProgramEntry>());
}

}  // namespace lockbench
