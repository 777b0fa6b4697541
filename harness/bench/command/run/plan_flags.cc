// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/plan_flags.h"

#include <algorithm>
#include <string_view>

#include "harness/bench/plan/sweep_fields.h"
#include "harness/cli/flags.h"

namespace lockbench {
namespace {

std::string flag_of(std::string_view field) {
  std::string flag = "--" + std::string(field);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

}  // namespace

// Every field of a sweep is a flag, and also a key in a preset file.
void add_sweep_flags(CLI::App& command, Overrides& overrides) {
  for (const SweepField& field : sweep_fields()) {
    const Flag flag{
        .names = flag_of(field.name),
        .type = field.axis ? "VALUE..." : "VALUE",
        .help = std::string(field.wants),
        .group = "Cells (each replaces a value of the preset; VALUE... may be repeated)"};
    const Take take = [&overrides, field](const std::string& text) {
      return field.add(overrides.sweep, text);
    };
    if (field.axis) {
      add_values(command, flag, take);
    } else {
      add_value(command, flag, take);
    }
  }
}

void add_preset_flags(CLI::App& command, std::optional<std::string>& preset, Overrides& overrides) {
  add_text(command,
           {.names = "preset",
            .type = "",
            .help = "Name of a preset (lockbench list presets) or a file ending in .toml"},
           preset);
  add_count(command, "--blocks", kBlockRange,
            "Measures each cell this often, without early decisions", overrides.blocks);
  add_count(command, "--seed", kSeedRange,
            "Random seed of keys and trial order; the same seed gives the same plan",
            overrides.seed);
}

std::vector<std::string> plan_flags() {
  std::vector<std::string> flags{"preset", "--blocks", "--seed"};
  for (const SweepField& field : sweep_fields()) flags.push_back(flag_of(field.name));
  return flags;
}

void add_service(CLI::App& command, std::vector<std::string>& services) {
  add_texts(command,
            {.names = "--service",
             .type = "NAME=HOST:PORT",
             .help = "The server for the locks of this service, as redis=localhost:6379; separate "
                     "several servers by commas [a private server, for this run]"},
            services);
}

void add_patience(CLI::App& command, Nanoseconds& patience) {
  add_parsed(command,
             {.names = "--patience",
              .type = "TIME",
              .help = "How long to wait for a quiet machine; 0: do not wait [60s]",
              .environment = "LOCKBENCH_PATIENCE"},
             parse_duration, patience);
}

}  // namespace lockbench
