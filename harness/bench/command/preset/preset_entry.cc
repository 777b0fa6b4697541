// SPDX-License-Identifier: Apache-2.0

// The command `preset`.

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "harness/bench/command/preset/preset_command.h"
#include "harness/cli/command.h"
#include "harness/cli/flags.h"

namespace lockbench {
namespace {

constexpr char kFooter[] =
    "init writes a preset with every key, its meaning, its default and an example. You can run it\n"
    "without changes; docs/presets.md describes the keys. An existing file is not replaced.\n"
    "\n"
    "Examples\n"
    "  lockbench preset init mine.toml\n"
    "  lockbench run ./mine.toml --dry-run --verbose\n"
    "  lockbench preset init | less\n"
    "\n"
    "Exit codes: 0 written, 1 the file could not be written, 2 bad input or the file exists.\n";

class PresetEntry final : public CommandWithOptions<PresetOptions> {
 public:
  PresetEntry()
      : CommandWithOptions({.name = "preset",
                            .group = CommandGroup::kMeasure,
                            .summary = "Writes a commented preset to start from",
                            .footer = kFooter}) {}

  void add_flags(CLI::App& preset) override {
    PresetOptions& options = options_;
    add_words(preset, "words", "init FILE.toml; without FILE.toml, prints it", options.words);
  }

  std::string complete(const CLI::App&, const Invocation&) override {
    const PresetOptions& options = options_;
    const std::vector<std::string>& words = options.words;
    if (words.empty() || words[0] != "init") {
      return "wants init first, as `lockbench preset init mine.toml`";
    }
    if (words.size() > 2) return "'" + words[2] + "': init writes one file; leave this out";
    if (words.size() == 2 && words[1].empty())
      return "'': no name given; name a file, as mine.toml";
    if (words.size() == 2 && !words[1].ends_with(".toml")) {
      return "'" + words[1] + "': run takes files that end in .toml; name it " + words[1] + ".toml";
    }
    return {};
  }

  int run(const Invocation&) override { return preset_command(options_, std::cout, std::cerr); }
};

}  // namespace

void add_preset_commands(Commands& all) {
  all.push_back(std::make_unique<PresetEntry>());
}

}  // namespace lockbench
