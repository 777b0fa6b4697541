// SPDX-License-Identifier: Apache-2.0

#include <charconv>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include <absl/strings/str_cat.h>

#include "harness/cli/command_flags.h"
#include "harness/cli/flags.h"
#include "harness/cli/help_texts.h"
#include "harness/plan/expression.h"
#include "harness/plan/quantity.h"

namespace lockbench {
namespace {

constexpr char kNoProgram[] = "name the program after --, as `";

absl::StatusOr<std::uint32_t> parse_process(std::string_view text) {
  std::uint32_t process = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), process);
  if (error == std::errc() && end == text.data() + text.size() && process != 0) return process;
  return absl::InvalidArgumentError("'" + std::string(text) + "' is no number of a process");
}

void add_place_expression(CLI::App& command, const char* help, std::string& expression) {
  add_value(command, {.names = "--place", .type = "REGEX", .help = help},
            [&expression](const std::string& text) {
              expression = text;
              return Expression::parse(text).status();
            });
}

void add_places(CLI::App& command, Substitution& with) {
  add_folder(command, "--observed", "The folder that `lockbench observe` wrote, for --place",
             with.observed);
  add_place_expression(command,
                       "Replaces only mutexes of the places of --observed whose name matches [all]",
                       with.place);
}

std::string validate_places(const Substitution& with) {
  if (with.observed.has_value() == !with.place.empty()) return {};
  return with.observed ? "--observed: is for --place; say which, as --place 'Cache::get'"
                       : "--place: names places of an observation; say --observed DIR";
}

}  // namespace

void add_observe(CLI::App& app, ObserveOptions& options) {
  CLI::App& observe = add_command(
      app, "observe", "Runs a program and records what it does with its locks", kObserveExamples);
  add_folder(observe, "--out", "Folder for the result [results/observed/<time>-<program>-<id>]",
             options.out);
  add_parsed(observe,
             {.names = "--delay",
              .type = "TIME",
              .help = "Records nothing for this long at the start [0]"},
             parse_duration, options.delay);
  add_parsed(observe,
             {.names = "--duration", .type = "TIME", .help = "Records for this long [to the end]"},
             parse_duration, options.duration);
  add_count(observe, "--callers", {1, kMostCallers},
            "Number of callers that make up a place [up to the first that is no wrapper of a lock]",
            options.callers);
  add_place_expression(observe,
                       "Keeps only places whose name matches, as `function file.c:120` [all]",
                       options.place);
  add_parsed(observe,
             {.names = "--pid",
              .type = "PID",
              .help = "Instead of starting a program: watches this process, which runs already, "
                      "from outside for --duration [10s]. Needs root and bpftrace"},
             parse_process, options.pid);
  add_folder(observe, "--check",
             "Instead of a program: measures the preset of this observation, and says whether its "
             "contention and its waits are those of the program",
             options.check);
}

std::string validate_observe(const ObserveOptions& options) {
  if (options.pid) {
    if (!options.command.empty())
      return "--pid: watches a process that runs; leave out the program";
    if (options.check) return "--pid: --check measures a preset; give one of both";
    if (options.delay.count() != 0) return "--pid: the process runs already; leave out --delay";
    return {};
  }
  if (options.check) {
    return options.command.empty() ? std::string()
                                   : "--check: measures a preset; leave out the program";
  }
  if (!options.command.empty()) return {};
  return std::string(kNoProgram) + "lockbench observe -- ./server --port 80`";
}

void add_substitute(CLI::App& app, SubstituteOptions& options) {
  CLI::App& substitute = add_command(
      app, "substitute", "Runs a program with another lock as its mutexes", kSubstituteExamples);
  add_text(
      substitute,
      {.names = "--lock", .type = "LOCK", .help = "std, adaptive, futex, tbb, tbb_spin or absl"},
      options.with.lock);
  add_places(substitute, options.with);
}

std::string validate_substitute(const SubstituteOptions& options) {
  if (options.with.lock.empty()) return "--lock: not given; name a lock, as --lock adaptive";
  const std::string places = validate_places(options.with);
  if (!places.empty()) return places;
  if (!options.command.empty()) return {};
  return std::string(kNoProgram) + "lockbench substitute --lock adaptive -- ./server`";
}

void add_compare_program(CLI::App& app, CompareProgramOptions& options) {
  CLI::App& compare =
      add_command(app, "compare-program", "Compares locks in a program that is run with each",
                  kCompareProgramExamples);
  add_texts(compare,
            {.names = "--lock",
             .type = "LOCK",
             .help = "As of substitute; the first is what the others are compared with"},
            options.locks);
  add_places(compare, options.with);
  add_text(compare, {.names = "--metric", .type = "METRIC", .help = "wall, cpu or REGEX [wall]"},
           options.metric);
  add_switch(compare, "--lower-is-better", "Less of the printed number is faster",
             options.lower_is_better);
  add_count(compare, "--blocks", {3, 10'000}, "Runs of the program with each lock [10]",
            options.blocks);
  add_parsed(compare,
             {.names = "--time-limit",
              .type = "TIME",
              .help = "A run of the program that takes longer has failed [10min]"},
             parse_duration, options.time_limit);
  add_folder(compare, "--out", "Folder for the rows [results/programs/<time>-<program>-<id>]",
             options.out);
}

std::string validate_compare_program(const CompareProgramOptions& options) {
  const std::set<std::string> different(options.locks.begin(), options.locks.end());
  if (different.size() < 2 || different.size() != options.locks.size()) {
    return "--lock: name two locks or more, each once, as --lock std --lock adaptive";
  }
  const std::string places = validate_places(options.with);
  if (!places.empty()) return places;
  const bool printed = options.metric != "wall" && options.metric != "cpu";
  if (options.lower_is_better && !printed) {
    return "--lower-is-better: is for a printed number; of " + options.metric + " it is so anyway";
  }
  const absl::Status expression =
      printed ? Expression::parse(options.metric).status() : absl::OkStatus();
  if (!expression.ok()) {
    return absl::StrCat("--metric: is neither wall nor cpu, and ", expression.message());
  }
  if (!options.command.empty()) return {};
  return std::string(kNoProgram) +
         "lockbench compare-program --lock std --lock adaptive -- ./benchmark`";
}

}  // namespace lockbench
