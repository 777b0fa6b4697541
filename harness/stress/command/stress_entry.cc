// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/command/stress_entry.h"

#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/bench/command/run/described_plugins.h"
#include "harness/cli/flags.h"
#include "harness/cli/messages.h"
#include "harness/stress/command/plan.h"
#include "harness/stress/command/stress_command.h"

namespace lockbench {
namespace {

std::string footer_with(const std::vector<AddedEngine>& added) {
  std::string about;
  std::string examples;
  for (const AddedEngine& engine : added) {
    about += engine.about;
    examples += engine.examples;
  }
  return "Engines try to break a lock. `sim` runs the source of the lock on simulated threads: "
         "every\n"
         "interleaving of small litmus programs up to a bound, then larger programs at random, "
         "with store\n"
         "buffers and timeouts; each of its failures can be replayed exactly. `real` runs threads "
         "and `proc`\n"
         "runs processes, and both inject faults. " +
         about +
         "A clean\n"
         "result says what was checked; docs/stress.md says how to read it.\n"
         "\n"
         "Examples\n"
         "  lockbench stress keyed\n"
         "  lockbench stress keyed --engine sim --budget 10s\n"
         "  lockbench stress keyed --engine sim --memory c11\n"
         "  lockbench stress --exhaustive --preemptions 2 --memory c11 --budget 2min\n"
         "  lockbench stress keyed --weaken --budget 2min\n" +
         examples +
         "  lockbench stress --self-test\n"
         "\n"
         "Exit codes: 0 clean, 1 an engine failed, 2 bad input, 3 a lock is broken, 4 "
         "inconclusive,\n"
         "129, 130 or 143 interrupted.\n";
}

// Engines derive 64-bit seeds and print them, so that a user can pass them back.
constexpr CountRange kReplayedSeedRange{0, std::numeric_limits<std::uint64_t>::max()};

// Options of the engines that inject faults.
void add_thread_flags(CLI::App& stress, stress::Order& order) {
  add_count(stress, "--threads", {.least = 1, .most = 64},
            "real, proc, services: number of threads, processes or clients [4]", order.threads);
  add_text(stress,
           {.names = "--mode",
            .type = "MODE",
            .help = "real, proc: one fault-injection mode [all in turn]"},
           order.mode);
}

void add_simulation_flags(CLI::App& stress, stress::Order& order,
                          std::optional<std::filesystem::path>& file) {
  add_text(stress,
           {.names = "--program,--client",
            .type = "TEXT",
            .help = "sim: what the threads do, as 'L0 U | T0 U' (docs/stress.md) [generated]"},
           order.program);
  add_path(stress,
           {.names = "--program-file",
            .type = "FILE",
            .help = "sim, real: a program in a file, on one or more lines; # begins a comment"},
           file);
  add_text(stress,
           {.names = "--schedule",
            .type = "TEXT",
            .help = "sim: which thread takes each step, as a report prints it; needs --program or "
                    "--program-file"},
           order.schedule);
  add_text(stress,
           {.names = "--memory",
            .type = "MODELS",
            .help = "sim: sc, tso (as x86), c11 (as C++20 allows, includes ARM), or several "
                    "[tso,c11]"},
           order.memory);
  add_switch(
      stress, "--weaken",
      "sim: tries each memory order of the lock one level weaker, and reports which are needed",
      order.weaken);
  add_switch(stress, "--exhaustive",
             "sim: explores only the small programs, or --program, up to --preemptions",
             order.exhaustive);
  add_count(stress, "--preemptions", {.least = 0, .most = 16},
            "sim: bound of preemptions for small programs [3]", order.preemptions);
}

std::string validate_exhaustive(const StressOptions& options) {
  if (options.self_test || options.order.weaken) {
    return std::string("--exhaustive explores locks as they are: leave ") +
           (options.self_test ? "--self-test" : "--weaken") + " out";
  }
  if (!options.order.schedule.empty()) {
    return "--exhaustive explores every schedule: leave --schedule out";
  }
  return {};
}

std::string validate_weaken(const StressOptions& options) {
  const stress::Order& order = options.order;
  if (options.locks.size() != 1 || options.self_test) {
    return "--weaken takes one lock: lockbench stress keyed --weaken";
  }
  if (!order.memory.empty() && order.memory != "c11") {
    return "--weaken explores under c11: leave --memory out, or say --memory c11";
  }
  if (!order.program.empty() || options.program_file) {
    return std::string("--weaken chooses the programs itself: leave ") +
           (options.program_file ? "--program-file" : "--program") + " out";
  }
  return {};
}

// The options of added engines are parts of the order that every engine gets.
void take_flags(const std::map<std::string, std::string>& given, stress::Order& order) {
  for (const auto& [flag, value] : given) {
    if (flag == "--faults") order.faults = value;
    if (flag == "--network") order.network = value;
    if (flag == "--ignore-tokens") order.ignore_tokens = true;
  }
}

}  // namespace

StressEntry::StressEntry()
    : CommandWithOptions({.name = "stress",
                          .group = CommandGroup::kCheck,
                          .summary = "Searches for a way to break a lock",
                          .footer = footer_with({})}) {}

void StressEntry::add_flags(CLI::App& stress) {
  StressOptions& options = options_;
  options.added_engines = engines_of_programs();
  set_footer(footer_with(options.added_engines));
  std::string others;
  for (const AddedEngine& engine : options.added_engines) {
    others += " or " + engine.name + " (" + engine.tests + ")";
  }
  add_words(stress, "locks", "Locks to test (lockbench stress --list) [all]", options.locks);
  add_texts(
      stress,
      {.names = "--engine",
       .type = "ENGINE",
       .help = "sim (simulated threads), real (threads), proc (processes)" + others + " [all]"},
      options.engines);
  add_parsed(stress,
             {.names = "--budget",
              .type = "TIME",
              .help = "Time limit of all locks and engines together [60s]"},
             parse_duration, options.budget);
  add_count(stress, "--seed", kReplayedSeedRange, "Random seed [1]", options.order.seed);
  add_switch(stress, "--self-test", "Runs known broken locks: the engines must detect each",
             options.self_test);
  add_switch(stress, "--list", "Lists the locks, and the engines that can test them", options.list);
  add_text_or_json(stress, "text or json, one report per line [text]", options.json);
  add_path(stress,
           {.names = "--report",
            .type = "FILE.html",
            .help = "Writes a page with the steps of each failure and a list of the checks; needs "
                    "Python (.json: the data of the page)"},
           options.page);
  add_thread_flags(stress, options.order);
  for (const AddedEngine& engine : options.added_engines) {
    add_described_flags(stress, engine.flags, flags_of_engines_);
  }
  add_simulation_flags(stress, options.order, options.program_file);
  add_plugins(stress, plugins_);
}

std::string StressEntry::complete(const CLI::App&, const Invocation&) {
  take_flags(flags_of_engines_, options_.order);
  const StressOptions& options = options_;
  if (options.budget <= Nanoseconds::zero()) return kNoTime;
  if (options.order.weaken) {
    if (std::string wrong = validate_weaken(options); !wrong.empty()) return wrong;
  }
  if (options.program_file && !options.order.program.empty()) {
    return "--program-file: cannot be combined with --program; leave one of them out";
  }
  if (options.order.exhaustive) {
    if (std::string wrong = validate_exhaustive(options); !wrong.empty()) return wrong;
  }
  if (options.page && (options.list || options.self_test)) {
    return std::string("--report: shows the results of the engines; leave out ") +
           (options.list ? "--list" : "--self-test");
  }
  if (options.page) {
    std::error_code error;
    const std::filesystem::path folder = options.page->parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder, error)) {
      return "--report: there is no folder " + folder.string() + "; create it, or name another";
    }
  }
  return {};
}

int StressEntry::run(const Invocation&) {
  return stress_command(options_, plugins_);
}

void add_stress_commands(Commands& all) {
  offer_described_plugins();
  all.push_back(std::make_unique<StressEntry>());
}

}  // namespace lockbench
