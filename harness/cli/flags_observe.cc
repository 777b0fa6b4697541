// SPDX-License-Identifier: Apache-2.0

#include <regex>

#include "harness/cli/command_flags.h"
#include "harness/cli/flags.h"
#include "harness/cli/help_texts.h"
#include "harness/plan/quantity.h"

namespace lockbench {

void add_observe(CLI::App& app, ObserveOptions& options) {
  CLI::App& observe = add_command(
      app, "observe", "Runs a program and records what it does with its locks", kObserveExamples);
  add_folder(observe, "--out", "Folder for the result [results/observed/<time>-<program>-<id>]",
             options.out);
  add_parsed<Nanoseconds>(observe,
                          {.names = "--delay",
                           .type = "TIME",
                           .help = "Records nothing for this long at the start [0]"},
                          parse_duration, [&options](const Nanoseconds& t) { options.delay = t; });
  add_parsed<Nanoseconds>(
      observe,
      {.names = "--duration", .type = "TIME", .help = "Records for this long [to the end]"},
      parse_duration, [&options](const Nanoseconds& t) { options.duration = t; });
  add_value(observe,
            {.names = "--place",
             .type = "REGEX",
             .help = "Keeps only places whose name matches, as `function file.c:120` [all]"},
            [&options](const std::string& text) {
              options.place = text;
              try {
                std::regex valid(text);
              } catch (const std::regex_error&) {
                return absl::InvalidArgumentError("'" + text + "' is no regular expression");
              }
              return absl::OkStatus();
            });
}

std::string validate_observe(const ObserveOptions& options) {
  if (!options.command.empty()) return {};
  return "name the program after --, as `lockbench observe -- ./server --port 80`";
}

}  // namespace lockbench
